// Where trades are made: how much lies there, and whether routes may pass.
import { ask, query } from "../lib/api";
import { count, known, usd } from "../lib/format";
import { rewritten } from "../lib/live";
import { useLoaded } from "../lib/load";
import { venueColour } from "../lib/market";
import { Empty, Page, SkeletonRows, Tag, Trouble } from "../ui/parts";
import { VenueName } from "../ui/venue-name";
import "../style/pools.css";

interface Venue {
  name: string;
  kind: string;
  pools: number;
  tradablePools: number;
  tvlUsd: number | null;
  volumeUsd24h?: number | null;
  status: string;
  reason: string | null;
}

const WORDS: Record<string, string> = { trading: "Trading", watched: "Watched" };

export function Venues() {
  const { data, failure, again } = useLoaded("venues", (signal) => ask<Venue[]>("/v3/venues", { signal }), rewritten);
  const rows = [...(data ?? [])].sort((a, b) => (b.tvlUsd ?? 0) - (a.tvlUsd ?? 0));
  const most = Math.max(1, ...rows.map((row) => row.tvlUsd ?? 0));
  return (
    <Page title="Venues" lead="The exchanges that are followed. Quotes use only pools whose contracts can be reproduced to the last unit.">
      <div class="panel flush">
        {failure && !data ? (
          <Trouble failure={failure} again={again} />
        ) : data && !data.length ? (
          <Empty title="No venues">The operator names them in the configuration.</Empty>
        ) : (
          <table class="table venues">
            <thead>
              <tr>
                <th scope="col">Venue</th>
                <th scope="col" class="number">TVL</th>
                <th scope="col" class="fourth"><span class="visually-hidden">Share</span></th>
                <th scope="col" class="number third">Volume 24 h</th>
                <th scope="col" class="number">Pools</th>
                <th scope="col" class="second">State</th>
              </tr>
            </thead>
            <tbody>
              {!data && <SkeletonRows rows={8} columns={6} />}
              {rows.map((row) => (
                <tr key={row.name}>
                  <th scope="row">
                    <VenueName name={row.name} href={query("/pools", { venue: row.name })} />
                  </th>
                  <td class="number">{usd(row.tvlUsd)}</td>
                  <td class="fourth">
                    <span class="depth-bar">
                      <i style={{ width: `${((row.tvlUsd ?? 0) / most) * 100}%`, background: venueColour(row.name) }} />
                    </span>
                  </td>
                  <td class="number third">{known(row.volumeUsd24h) ? usd(row.volumeUsd24h) : "–"}</td>
                  <td class="number">
                    {count(row.tradablePools)}
                    <span class="soft"> of {count(row.pools)} tradable</span>
                  </td>
                  <td class="second" title={row.reason ?? undefined}>
                    <Tag kind={row.status === "trading" ? "good" : "warn"}>{WORDS[row.status] ?? row.status}</Tag>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Page>
  );
}
