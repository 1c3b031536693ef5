// Every pool that is followed, with what it takes to move its price.
import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { ask, query } from "../lib/api";
import { count } from "../lib/format";
import { rewritten } from "../lib/live";
import { useLoaded } from "../lib/load";
import type { Pool } from "../lib/market";
import { note, parameter } from "../lib/router";
import { needTokens } from "../lib/tokens";
import { Choice, Page, Pager, Trouble } from "../ui/parts";
import { PoolTable } from "../ui/pool-table";
import { TokenPicker } from "../ui/token-picker";

interface Answer {
  content: Pool[];
  totalElements: number;
  totalPages: number;
}

const SIZE = 50;
const TRADABLE = [["", "All"], ["true", "Tradable"], ["false", "Not tradable"]] as const;

export function Pools() {
  useEffect(needTokens, []);
  const token = parameter("token");
  const venue = parameter("venue") ?? "";
  const tradable = parameter("tradable") ?? "";
  const page = useSignal(0);
  useEffect(() => {
    page.value = 0;
  }, [token, venue, tradable]);
  const path = query("/v3/pools", { token, venue, tradable, sort: "tvl", page: page.value, size: SIZE });
  const { data, failure, again } = useLoaded(path, (signal) => ask<Answer>(path, { signal }), rewritten);
  const { data: venues } = useLoaded("venues", (signal) => ask<{ name: string }[]>("/v3/venues", { signal }));
  return (
    <Page title="Pools" lead="Depth is what it takes to move a pool's price that far, computed from its exact curve.">
      <div class="toolbar">
        <TokenPicker label="Pools of" none="Any token" value={token} onPick={(next) => note({ token: next })} />
        {token && (
          <button type="button" class="button small" onClick={() => note({ token: null })}>
            All tokens
          </button>
        )}
        <label class="field inline">
          <span class="visually-hidden">Venue</span>
          <select value={venue} onChange={(event) => note({ venue: event.currentTarget.value })}>
            <option value="">All venues</option>
            {venues?.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        <Choice label="Which pools" value={tradable as (typeof TRADABLE)[number][0]} options={TRADABLE} onChange={(next) => note({ tradable: next })} />
        <span class="soft">{count(data?.totalElements)} pools</span>
      </div>
      <div class="panel flush">{failure && !data ? <Trouble failure={failure} again={again} /> : <PoolTable pools={data?.content} rows={20} />}</div>
      <Pager page={page} pages={data?.totalPages ?? 1} />
    </Page>
  );
}
