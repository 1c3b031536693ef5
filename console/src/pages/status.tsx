// How the service does: the chain's head, its nodes, how fast and how good quotes are.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../lib/api";
import { ago, count, time } from "../lib/format";
import { blocks, connection, now, reorganisation } from "../lib/live";
import { useLoaded } from "../lib/load";
import { parse, quantile, sum, type Metrics } from "../lib/metrics";
import { hasFigures } from "../lib/settings";
import { Address, Empty, Figure, Figures, Page, Panel, Skeleton, Tag, Trouble } from "../ui/parts";
import "../style/status.css";

interface Node {
  name: string;
  blockNumber: number | null;
  silentSeconds: number | null;
  problem: string | null;
}

interface Part {
  ready: boolean;
  problem: string | null;
}

interface Readiness {
  ready: boolean;
  parts: {
    starknet: Part & {
      role: string;
      blockNumber: number | null;
      blockHash: string | null;
      ageSeconds: number | null;
      lagBlocks: number | null;
      nodes?: Node[];
      pools?: { total: number; tradable: number; summary: string };
    };
    solana?: Part & { epoch: number | null; slot: number | null; silentSeconds: number | null };
    ledger?: Part;
    settlement?: Part & { parked: number };
    redis?: Part;
  };
}

const LOOK_MS = 3_000;
const NAMES: Record<string, string> = { starknet: "Starknet", solana: "Solana", ledger: "Ledger", settlement: "Settlement", redis: "Redis" };

/** Readiness is told with 503 while something is not ready: that is an answer, too. */
async function readiness(signal: AbortSignal): Promise<Readiness> {
  const answer = await fetch("/readyz", { signal }).catch(() => null);
  const body = (await answer?.json().catch(() => null)) as Readiness | null;
  return body?.parts ? body : ask<Readiness>("/readyz", { signal });
}

const figuresText = async (signal: AbortSignal): Promise<Metrics> => parse(await (await fetch("/metrics", { signal })).text());

export function Status() {
  const turn = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => turn.value++, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
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
      lead={away ? "The service does not answer now; what is shown is the last that it said." : "What the service says of itself, every few seconds."}
      actions={data && <Tag kind={!away && data.ready ? "good" : "bad"}>{away ? "Away" : data.ready ? "Ready" : "Not ready"}</Tag>}
    >
      <div class="stack">
        <Panel title="Chain" aside={<Connection />}>
          <Figures>
            <Figure label="Head" hint={starknet?.blockHash ? <Address value={starknet.blockHash} /> : undefined}>
              {starknet ? `#${count(starknet.blockNumber)}` : <Skeleton />}
            </Figure>
            <Figure label="Behind the node">{starknet ? `${count(starknet.lagBlocks)} blocks` : <Skeleton />}</Figure>
            <Figure label="Age of the head">{starknet?.ageSeconds == null ? "–" : ago(starknet.ageSeconds)}</Figure>
            <Figure label="Pools that can be traded" hint={starknet?.pools ? `of ${count(starknet.pools.total)}` : undefined}>
              {count(starknet?.pools?.tradable)}
            </Figure>
            <Figure label="Last reorganisation" hint="seen while this page is open">
              {reorganisation.value ? `${reorganisation.value.depth} deep, ${ago((now.value - reorganisation.value.seen) / 1000)} ago` : "none"}
            </Figure>
          </Figures>
          <Strip />
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
          <Panel title="Nodes" flush>
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
  if (name === "settlement" && parts.settlement) return `${count(parts.settlement.parked)} transactions wait for a node`;
  return "ready";
}

function Connection() {
  const words = { connecting: "connecting", live: "told by the stream", polling: "asked for now and then", lost: "reconnecting" };
  return <>{words[connection.value]}</>;
}

/** The newest blocks, as high as the time that each took. */
function Strip() {
  const shown = blocks.value;
  if (shown.length < 2) return <div class="strip" aria-hidden="true" />;
  const waits = shown.slice(1).map((block, at) => ({ block, wait: Math.max(block.seen - shown[at]!.seen, 0) }));
  const longest = Math.max(4_000, ...waits.map(({ wait }) => wait));
  return (
    <ol class="strip" aria-label="The newest blocks and how long each took">
      {waits.map(({ block, wait }) => (
        <li key={block.hash} class={block.replaced ? "replaced" : ""} title={`#${block.number} at ${time(block.seen)}, after ${(wait / 1000).toFixed(1)} s`}>
          <i style={{ height: `${Math.max((wait / longest) * 100, 4)}%` }} />
        </li>
      ))}
    </ol>
  );
}

function Nodes({ nodes, metrics }: { nodes: Node[] | undefined; metrics: Metrics | undefined }) {
  if (nodes?.length)
    return (
      <ul class="parts">
        {nodes.map((node) => (
          <li key={node.name}>
            <span class={`dot ${node.problem ? "bad" : "good"}`} aria-hidden="true" />
            <strong>{node.name}</strong>
            <span class="soft">{node.problem ?? `block ${count(node.blockNumber)}`}</span>
          </li>
        ))}
      </ul>
    );
  const asked = metrics?.get("stoa_rpc_requests_total") ?? [];
  if (!asked.length) return <Empty title="Nodes are not told here">Their names and failures are on the operator's listener.</Empty>;
  const methods = new Map<string, { good: number; bad: number }>();
  for (const { labels, value } of asked) {
    const method = methods.get(labels.method!) ?? { good: 0, bad: 0 };
    if (labels.outcome === "ok") method.good += value;
    else method.bad += value;
    methods.set(labels.method!, method);
  }
  return (
    <div class="scroll tall nodes" tabIndex={0} role="region" aria-label="Calls of nodes">
      <table class="table dense">
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col" class="number">Answered</th>
            <th scope="col" class="number">Failed</th>
          </tr>
        </thead>
        <tbody>
          {[...methods].sort((a, b) => b[1].good - a[1].good).map(([method, { good, bad }]) => (
            <tr key={method}>
              <th scope="row" class="mono">{method}</th>
              <td class="number">{count(good)}</td>
              <td class={`number ${bad ? "down" : ""}`}>{count(bad)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const milliseconds = (seconds: number | null): string => (seconds === null ? "–" : Number.isFinite(seconds) ? `≤ ${+(seconds * 1000).toPrecision(3)} ms` : "> 10 s");
const gap = (share: number | null): string => (share === null ? "–" : Number.isFinite(share) ? `≤ ${+(share * 100).toPrecision(2)}%` : "not known");

function Quotes({ metrics }: { metrics: Metrics | undefined }) {
  return (
    <Panel title="Quotes" aside="since the start">
      <Figures>
        <Figure label="Found" hint={`${count(sum(metrics, "stoa_swap_quotes_total", (it) => it.labels.outcome !== "found"))} without a way`}>
          {count(sum(metrics, "stoa_swap_quotes_total", (it) => it.labels.outcome === "found"))}
        </Figure>
        <Figure label="Half are ready in">{milliseconds(quantile(metrics, "stoa_swap_quote_seconds", 0.5))}</Figure>
        <Figure label="95 % are ready in">{milliseconds(quantile(metrics, "stoa_swap_quote_seconds", 0.95))}</Figure>
        <Figure label="Gap of half" hint="at most better elsewhere">{gap(quantile(metrics, "stoa_swap_quote_gap", 0.5))}</Figure>
        <Figure label="Gap of 90 %">{gap(quantile(metrics, "stoa_swap_quote_gap", 0.9))}</Figure>
        <Figure label="Requests answered">{count(sum(metrics, "stoa_http_requests_total"))}</Figure>
      </Figures>
    </Panel>
  );
}
