// What a sponsor paid for others.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shown } from "../lib/amount";
import { ask } from "../lib/api";
import { count } from "../lib/format";
import { pace } from "../lib/live";
import { useLoaded } from "../lib/load";
import { readSimulated, simulated } from "../lib/simulator";
import { isSimulated } from "../lib/settings";
import { Empty, Figure, Figures, Page, Panel, Skeleton, Trouble } from "../ui/parts";

interface Activity {
  name: string;
  txCount: number;
  succeededTxCount: number;
  revertedTxCount: number;
  strkGasFees: string;
  succeededStrkGasFees: string;
  revertedStrkGasFees: string;
  remainingStrkCredits: string;
}

const strk = (units: string): string => `${shown(BigInt(units), 18, 4)} STRK`;

export function Paymaster() {
  const key = useSignal("");
  useEffect(() => {
    if (isSimulated && !simulated.peek()) void readSimulated().catch(() => {});
  }, []);
  const asked = key.value || simulated.value?.sponsorKey || "";
  const { data, failure, again } = useLoaded(asked ? `sponsor ${asked}` : null, (signal) => ask<Activity>("/paymaster/v1/sponsor-activity", { headers: { "api-key": asked }, signal }), pace);
  return (
    <Page title="Paymaster" lead="Sends other people's transactions and pays their fees from a sponsor's credits. Wallets reach it by JSON-RPC at this same address.">
      <div class="stack">
        <Panel title="Sponsor">
          <div class="fields">
            <label class="field">
              <span>API key</span>
              <input class="mono" type="text" autoComplete="off" placeholder={simulated.value?.sponsorKey ?? "A sponsor's API key"} value={key.value} onChange={(event) => (key.value = event.currentTarget.value.trim())} />
              <span class="hint">It stays in this tab and is sent to this service only.</span>
            </label>
          </div>
        </Panel>
        {failure && !data ? (
          <Panel>
            <Trouble failure={failure} again={again} />
          </Panel>
        ) : !asked ? (
          <Panel>
            <Empty title="No sponsor chosen">Enter a sponsor's API key. The operator creates one with <code class="mono">stoa sponsor add</code>.</Empty>
          </Panel>
        ) : (
          <Panel title={data?.name ?? "…"} aside="all time">
            <Figures>
              <Figure label="Transactions">{data ? count(data.txCount) : <Skeleton />}</Figure>
              <Figure label="Succeeded" hint={data && strk(data.succeededStrkGasFees)}>{data ? count(data.succeededTxCount) : <Skeleton />}</Figure>
              <Figure label="Reverted" hint={data && strk(data.revertedStrkGasFees)}>{data ? count(data.revertedTxCount) : <Skeleton />}</Figure>
              <Figure label="Fees paid">{data ? strk(data.strkGasFees) : <Skeleton />}</Figure>
              <Figure label="Credits left">{data ? strk(data.remainingStrkCredits) : <Skeleton />}</Figure>
            </Figures>
          </Panel>
        )}
      </div>
    </Page>
  );
}
