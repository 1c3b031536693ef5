// Pools with what it takes to move their prices.
import { known, short, usd } from "../lib/format";
import type { Depth, Pool, PoolToken } from "../lib/market";
import { Logo } from "./logo";
import { Empty, SkeletonRows, Tag } from "./parts";
import { VenueName } from "./venue-name";
import "../style/pools.css";

const STEPS = ["0.5", "1", "2"];

/** The smaller side: what moves the price by so much at the least. */
const least = (depth: Depth | undefined): number | null => {
  const sides = [depth?.sell0Usd, depth?.sell1Usd].filter(known);
  return sides.length ? Math.min(...sides) : null;
};

const TokenLink = ({ token }: { token: PoolToken }) =>
  token.symbol === null ? <span class="soft">{short(token.address)}</span> : <a href={`/token/${token.address}`}>{token.symbol}</a>;

export function PoolTable({ pools, rows }: { pools: Pool[] | undefined; rows: number }) {
  if (pools && !pools.length) return <Empty title="No pools match">Try another venue or token.</Empty>;
  const deepest = Math.max(1, ...(pools ?? []).map((pool) => least(pool.depth?.["2"]) ?? 0));
  return (
    <table class="table pools">
      <thead>
        <tr>
          <th scope="col">Pool</th>
          <th scope="col" class="second">Venue</th>
          <th scope="col" class="number third">Fee</th>
          <th scope="col" class="number">TVL</th>
          {STEPS.map((step) => (
            <th scope="col" key={step} class={`number ${step === "2" ? "" : "third"}`}>
              {step === "0.5" ? "Depth " : ""}±{step}%
            </th>
          ))}
          <th scope="col" class="fourth">
            <span class="visually-hidden">Depth to 2%</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {!pools && <SkeletonRows rows={rows} columns={8} />}
        {pools?.map((pool) => (
          <tr key={pool.id}>
            <th scope="row">
              <span class="pair">
                <span class="pair-logos">
                  <Logo address={pool.token0.address} size={20} />
                  <Logo address={pool.token1.address} size={20} />
                </span>
                <span>
                  <TokenLink token={pool.token0} /> / <TokenLink token={pool.token1} />
                </span>
                {!pool.tradable && (
                  <span title={pool.reason ?? undefined}>
                    <Tag kind="warn">Not tradable</Tag>
                  </span>
                )}
              </span>
            </th>
            <td class="second">
              <VenueName name={pool.venue} />
            </td>
            <td class="number third">{known(pool.feeBps) ? `${+(pool.feeBps / 100).toFixed(4)}%` : "–"}</td>
            <td class="number">{usd(pool.tvlUsd)}</td>
            {STEPS.map((step) => (
              <td key={step} class={`number ${step === "2" ? "" : "third"}`}>
                {usd(least(pool.depth?.[step]))}
              </td>
            ))}
            <td class="fourth">
              <span class="depth-bar">
                <i style={{ width: `${Math.sqrt((least(pool.depth?.["2"]) ?? 0) / deepest) * 100}%` }} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
