// Where a token's liquidity is: by venue, and pool by pool.
import { ask, query } from "../../lib/api";
import { usd } from "../../lib/format";
import { rewritten } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import { venueColour, type ExchangeTvl, type Pool } from "../../lib/market";
import { Empty, Panel, Skeleton, Trouble } from "../../ui/parts";
import { PoolTable } from "../../ui/pool-table";

export function LiquidityByVenue({ id }: { id: string }) {
  const { data, failure, again } = useLoaded(`tvl ${id}`, (signal) => ask<ExchangeTvl[]>(`/v3/tokens/${id}/exchange-tvl`, { signal }), rewritten);
  const rows = [...(data ?? [])].sort((a, b) => (b.valueUsd ?? 0) - (a.valueUsd ?? 0));
  const whole = rows.reduce((sum, row) => sum + (row.valueUsd ?? 0), 0);
  return (
    <Panel title="Liquidity by venue" aside={data ? usd(whole) : undefined}>
      {failure && !data ? (
        <Trouble failure={failure} again={again} />
      ) : data && !whole ? (
        <Empty title="No liquidity">No venue holds this token at the moment.</Empty>
      ) : (
        <ul class="bars">
          {!data && Array.from({ length: 6 }, (_, row) => <li key={row}><Skeleton /></li>)}
          {rows.map((row) => (
            <li key={row.exchange}>
              <span>{row.exchange}</span>
              <span class="number">{usd(row.valueUsd)}</span>
              <span class="number soft">{(((row.valueUsd ?? 0) / whole) * 100).toFixed(1)}%</span>
              <i style={{ width: `${((row.valueUsd ?? 0) / (rows[0]?.valueUsd || 1)) * 100}%`, background: venueColour(row.exchange) }} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function TokenPools({ id }: { id: string }) {
  const path = query("/v3/pools", { token: id, sort: "tvl", size: 20 });
  const { data, failure, again } = useLoaded(path, async (signal) => (await ask<{ content: Pool[] }>(path, { signal })).content, rewritten);
  return (
    <Panel title="Pools" aside={<a href={query("/pools", { token: id })}>All pools</a>} flush>
      {failure && !data ? <Trouble failure={failure} again={again} /> : <PoolTable pools={data} rows={8} />}
    </Panel>
  );
}
