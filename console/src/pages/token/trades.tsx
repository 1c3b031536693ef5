// A token's newest trades.
import { shown } from "../../lib/amount";
import { ask, query } from "../../lib/api";
import { ago, count, price, usd } from "../../lib/format";
import { now, pace, rewritten } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import type { Trade } from "../../lib/market";
import { amount } from "../../lib/tokens";
import { Empty, Panel, SkeletonRows, Trouble } from "../../ui/parts";

export function Trades({ id, decimals, symbol: name }: { id: string; decimals: number | undefined; symbol: string }) {
  const { data, failure, again } = useLoaded(
    `trades ${id}`,
    async (signal) => (await ask<{ content: Trade[] }>(query(`/v3/tokens/${id}/trades`, { limit: 50 }), { signal })).content,
    pace,
    rewritten,
  );
  return (
    <Panel title="Trades" aside="newest first" flush>
      {failure && !data ? (
        <Trouble failure={failure} again={again} />
      ) : data && !data.length ? (
        <Empty title="No trades yet" />
      ) : (
        <div class="scroll tall" tabIndex={0} role="region" aria-label="Trades">
          <table class="table dense">
            <thead>
              <tr>
                <th scope="col">Ago</th>
                <th scope="col">Side</th>
                <th scope="col" class="number">{name || "Amount"}</th>
                <th scope="col" class="number">Price</th>
                <th scope="col" class="number">Value</th>
                <th scope="col" class="roomy">Venue</th>
              </tr>
            </thead>
            <tbody>
              {!data && <SkeletonRows rows={10} columns={6} />}
              {data?.map((trade, at) => (
                <tr key={`${trade.transactionHash}${at}`} title={`block ${count(trade.blockNumber)}, for ${amount(trade.otherAmount, trade.otherToken)}`}>
                  <td class="soft">{ago((now.value - Date.parse(trade.timestamp)) / 1000)}</td>
                  <td class={trade.side === "buy" ? "up" : "down"}>{trade.side === "buy" ? "Buy" : "Sell"}</td>
                  <td class="number">{decimals === undefined ? "" : shown(BigInt(trade.amount), decimals, 5)}</td>
                  <td class="number">{price(trade.priceUsd)}</td>
                  <td class="number">{usd(trade.valueUsd)}</td>
                  <td class="roomy">{trade.venue}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
