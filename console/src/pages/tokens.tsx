// All tokens: what they cost, where the price went, how much is traded and lies in pools.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ask, query } from "../lib/api";
import { count, known, percent, price, tone, usd } from "../lib/format";
import { prices, rewritten, usePrices, type Price } from "../lib/live";
import { useLoaded, useSettled } from "../lib/load";
import { go, note, parameter } from "../lib/router";
import { Icon, icons } from "../ui/icons";
import { Logo } from "../ui/logo";
import { Choice, Empty, Page, Pager, SkeletonRows, Tag, Trouble } from "../ui/parts";
import { Sparkline } from "../ui/sparkline";

interface Row {
  address: string;
  symbol: string;
  name: string;
  tags: string[];
  verified: boolean;
  priceUsd: number | null;
  change24h: number | null;
  volumeUsd24h: number | null;
  tvlUsd: number | null;
  sparkline: (number | null)[];
}

interface Sorting {
  by: Order;
  up: boolean;
}

type Order = "priceUsd" | "change24h" | "volumeUsd24h" | "tvlUsd";
const COLUMNS: [Order, string, string][] = [
  ["priceUsd", "Price", ""],
  ["change24h", "24 h", ""],
  ["volumeUsd24h", "Volume 24 h", "wide"],
  ["tvlUsd", "TVL", "middle"],
];
const TAGS = [["", "All"], ["Verified", "Verified"], ["Community", "Community"], ["Unruggable", "Unruggable"]] as const;
const SIZE = 100;
const SKELETONS = 24;

interface Table {
  content: Row[];
  totalElements: number;
  totalPages: number;
}

export function Tokens() {
  const order = useSignal<Sorting>({ by: "tvlUsd", up: false });
  const page = useSignal(0);
  const search = (parameter("search") ?? "").trim();
  const tag = parameter("tag") ?? "";
  useEffect(() => {
    page.value = 0;
  }, [search, tag]);
  const sort = `${order.value.by},${order.value.up ? "asc" : "desc"}`;
  const path = useSettled(query("/v3/tokens/table", { search, tag, sort, page: page.value, size: SIZE }));
  const { data, failure, again } = useLoaded(path, (signal) => ask<Table>(path, { signal }), rewritten);
  // What was shown stays until the answer to the next question is there.
  const last = useRef(data);
  if (data) last.current = data;
  const shown = data ?? last.current;
  const rows = shown?.content ?? [];
  usePrices(rows.map((row) => row.address));
  return (
    <Page
      title="Tokens"
      lead={shown ? `${count(shown.totalElements)} ${search || tag ? (shown.totalElements === 1 ? "match" : "matches") : "tokens on this network"}` : "Every token on this network"}
      actions={
        <label class="search">
          <Icon path={icons.search} />
          <span class="visually-hidden">Search tokens</span>
          <input type="search" placeholder="Symbol, name or address" value={parameter("search") ?? ""} onInput={(event) => note({ search: event.currentTarget.value })} />
        </label>
      }
    >
      <div class="toolbar">
        <Choice label="Which tokens" value={tag as (typeof TAGS)[number][0]} options={TAGS} onChange={(next) => note({ tag: next })} />
      </div>
      <div class="panel flush">
        <table class="table tokens">
          <thead>
            <tr>
              <th scope="col">Token</th>
              {COLUMNS.slice(0, 2).map((column) => (
                <Sorted key={column[0]} column={column} order={order} />
              ))}
              <th scope="col" class="spark">
                Last 24 hours
              </th>
              {COLUMNS.slice(2).map((column) => (
                <Sorted key={column[0]} column={column} order={order} />
              ))}
            </tr>
          </thead>
          <tbody>
            {!shown && !failure && <SkeletonRows rows={SKELETONS} columns={6} />}
            {rows.map((row) => (
              <TokenRow key={row.address} row={row} told={prices.value.get(row.address)} />
            ))}
          </tbody>
        </table>
        {failure && !shown && <Trouble failure={failure} again={again} />}
        {shown && !rows.length && <Empty title="No tokens match">Try fewer letters or another tag.</Empty>}
      </div>
      <Pager page={page} pages={shown?.totalPages ?? 1} />
    </Page>
  );
}

function Sorted({ column: [by, text, name], order }: { column: [Order, string, string]; order: { value: Sorting } }) {
  const now = order.value;
  const isBy = now.by === by;
  return (
    <th scope="col" class={`number ${name}`} aria-sort={isBy ? (now.up ? "ascending" : "descending") : undefined}>
      <button type="button" class="sort" onClick={() => (order.value = { by, up: isBy ? !now.up : false })}>
        {text}
      </button>
    </th>
  );
}

function TokenRow({ row, told }: { row: Row; told: Price | undefined }) {
  const cost = told?.priceUsd ?? row.priceUsd;
  const change = told?.change24h ?? row.change24h;
  return (
    <tr
      class="link-row"
      onClick={(event) => {
        if (!(event.target as Element).closest("a")) go(`/token/${row.address}`);
      }}
    >
      <th scope="row">
        <a class="token-name" href={`/token/${row.address}`}>
          <Logo address={row.address} />
          <span>
            <strong>{row.symbol}</strong>
            <small>{row.name}</small>
          </span>
          {!row.verified && <Tag kind="quiet">{row.tags[0] ?? "Unknown"}</Tag>}
        </a>
      </th>
      <td class="number">
        <Moving value={cost}>{price(cost)}</Moving>
      </td>
      <td class={`number ${tone(change)}`}>{percent(change)}</td>
      <td class="spark">
        <Sparkline values={row.sparkline} change={change} label={`Price of ${row.symbol} over 24 hours: ${percent(change)}`} />
      </td>
      <td class="number wide">{usd(row.volumeUsd24h)}</td>
      <td class="number middle">{usd(row.tvlUsd)}</td>
    </tr>
  );
}

/** Lights up for a moment in the direction in which a number moved. */
function Moving({ value, children }: { value: number | null; children: string }) {
  const before = useRef(value);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const last = before.current;
    before.current = value;
    if (!known(last) || !known(value) || last === value || !place.current) return;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const name = value > last ? "--up-soft" : "--down-soft";
    place.current.animate([{ backgroundColor: `var(${name})` }, { backgroundColor: "transparent" }], { duration: 1400, easing: "ease-out" });
  }, [value]);
  return (
    <span class="moving" ref={place}>
      {children}
    </span>
  );
}
