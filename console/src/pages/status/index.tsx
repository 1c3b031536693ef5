// How the service does: the chain's head, its nodes, how fast and how good quotes are.
import { ago, count } from "../../lib/format";
import { connection, now, reorganisation } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import { parse, type Metrics } from "../../lib/metrics";
import { readiness, type Readiness } from "../../lib/readiness";
import { hasFigures } from "../../lib/settings";
import { useEvery } from "../../lib/visibility";
import { Address, Figure, Figures, Page, Panel, Skeleton, Tag, Trouble } from "../../ui/parts";
import { BlockTimes } from "./blocks";
import { Nodes } from "./nodes";
import { Quotes } from "./quotes";
import "../../style/status.css";

const LOOK_MS = 3_000;
/** Keeps the line that is not known yet. */
const BLANK = "\u00a0";
const NAMES: Record<string, string> = { starknet: "Starknet", solana: "Solana", ledger: "Ledger", settlement: "Settlement", redis: "Redis" };

const figuresText = async (signal: AbortSignal): Promise<Metrics> => parse(await (await fetch("/metrics", { signal })).text());

export function Status() {
  const turn = useEvery(LOOK_MS);
  const { data, failure, again } = useLoaded("readiness", readiness, turn);
  const { data: metrics } = useLoaded(hasFigures ? "figures" : null, figuresText, turn);
  if (failure && !data)
    return (
      <Page title="Status">
        <Trouble failure={failure} again={again} />
      </Page>
    );
  const starknet = data?.parts.starknet;
  const away = failure && data;
  return (
    <Page
      title="Status"
      lead={away ? "The service does not answer. This is the last it said." : "The health of this service, refreshed every few seconds."}
      actions={<Tag kind={!data ? "" : !away && data.ready ? "good" : "bad"}>{!data ? "Asking" : away ? "Unreachable" : data.ready ? "Ready" : "Not ready"}</Tag>}
    >
      <div class="stack">
        <Panel title="Chain" aside={<Connection />}>
          <Figures>
            <Figure label="Head" hint={starknet?.blockHash ? <Address value={starknet.blockHash} /> : BLANK}>
              {starknet ? `#${count(starknet.blockNumber)}` : <Skeleton />}
            </Figure>
            <Figure label="Lag">{starknet ? `${count(starknet.lagBlocks)} blocks` : <Skeleton />}</Figure>
            <Figure label="Age of the head">{starknet?.ageSeconds == null ? "–" : ago(starknet.ageSeconds)}</Figure>
            <Figure label="Tradable pools" hint={starknet?.pools ? `of ${count(starknet.pools.total)}` : BLANK}>
              {count(starknet?.pools?.tradable)}
            </Figure>
            <Figure label="Last reorganisation" hint="since this page was opened">
              {reorganisation.value ? `${reorganisation.value.depth} deep, ${ago((now.value - reorganisation.value.seen) / 1000)} ago` : "none"}
            </Figure>
          </Figures>
          <BlockTimes />
        </Panel>
        <div class="columns">
          <Panel title="Parts" flush>
            <ul class="parts">
              {!data && Array.from({ length: 4 }, (_, row) => <li key={row}><Skeleton /></li>)}
              {Object.entries(data?.parts ?? {}).map(([name, part]) => (
                <li key={name}>
                  <span class={`dot ${part.ready ? "good" : "bad"}`} aria-hidden="true" />
                  <strong>{NAMES[name] ?? name}</strong>
                  <span class="soft">{part.problem ?? detail(name, data!)}</span>
                  <span class="visually-hidden">{part.ready ? "ready" : "not ready"}</span>
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title={starknet?.nodes?.length ? "Nodes" : "Calls to nodes"} flush>
            <Nodes nodes={starknet?.nodes} metrics={metrics} />
          </Panel>
        </div>
        {hasFigures && <Quotes metrics={metrics} />}
      </div>
    </Page>
  );
}

function detail(name: string, { parts }: Readiness): string {
  if (name === "starknet") return parts.starknet.pools?.summary ?? `as ${parts.starknet.role}`;
  if (name === "solana" && parts.solana) return `epoch ${count(parts.solana.epoch)}, slot ${count(parts.solana.slot)}`;
  if (name === "settlement" && parts.settlement) return `${count(parts.settlement.parked)} transactions waiting for a node`;
  return "ready";
}

function Connection() {
  const words = { connecting: "connecting", live: "live", polling: "polling", lost: "reconnecting" };
  return <>{words[connection.value]}</>;
}
