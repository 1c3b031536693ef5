// One token: its price over time, where it lies, who trades it.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ask, query } from "../lib/api";
import { shown } from "../lib/amount";
import { ago, count, date, percent, price, tone, usd } from "../lib/format";
import { now, pace, prices, rewritten, useCandles, usePrices } from "../lib/live";
import { useLoaded } from "../lib/load";
import { venueColour, type Candle, type ExchangeTvl, type Pool, type TokenMarket, type Trade } from "../lib/market";
import { note, parameter } from "../lib/router";
import { needTokens, symbol, tokens } from "../lib/tokens";
import type { PageProps } from "../routes";
import type { Mode } from "../ui/chart";
import { Logo } from "../ui/logo";
import { Address, Choice, Empty, Figure, Figures, Page, Panel, Skeleton, SkeletonRows, Tag, Trouble } from "../ui/parts";
import { PoolTable } from "../ui/pool-table";
import "../style/token.css";

const RESOLUTIONS = [["1", "1m"], ["5", "5m"], ["15", "15m"], ["1H", "1h"], ["4H", "4h"], ["1D", "1D"], ["1W", "1W"]] as const;
type Resolution = (typeof RESOLUTIONS)[number][0];
const MODES = [["candles", "Candles"], ["line", "Line"], ["table", "Table"]] as const;
const TABLE_ROWS = 60;

export function TokenPage({ id }: PageProps) {
  const { data: token, failure, again } = useLoaded(`token ${id}`, (signal) => ask<TokenMarket>(`/v3/tokens/${id}`, { signal }), pace, rewritten);
  useEffect(needTokens, []);
  usePrices([id]);
  if (failure && !token)
    return (
      <Page title="Token">
        <Trouble failure={failure} again={again} />
      </Page>
    );
  const figures = token?.network ?? token?.starknet ?? {};
  const told = prices.value.get(id);
  const cost = told?.priceUsd ?? figures.usd;
  const change = told?.change24h ?? figures.usdPriceChangePercentage24h;
  return (
    <Page
      title={
        <>
          <Logo address={id} size={32} />
          {token ? token.symbol : <Skeleton class="word" />}
          {token && <span class="soft token-long">{token.name}</span>}
          {token && !token.verified && <Tag kind="warn">{token.tags[0] ?? "Unknown"}</Tag>}
        </>
      }
      lead={<Address value={id} head={10} tail={8} />}
      actions={
        <a class="button primary" href={query("/swap", { sell: id })}>
          Swap {token?.symbol ?? ""}
        </a>
      }
    >
      <div class="stack">
        <Panel>
          <Figures>
            <Figure label="Price" hint={<span class={tone(change)}>{percent(change)} in 24 h</span>}>
              {price(cost)}
            </Figure>
            <Figure label="1 hour" tone={tone(figures.usdPriceChangePercentage1h)}>
              {percent(figures.usdPriceChangePercentage1h)}
            </Figure>
            <Figure label="7 days" tone={tone(figures.usdPriceChangePercentage7d)}>
              {percent(figures.usdPriceChangePercentage7d)}
            </Figure>
            <Figure label="Traded in 24 h">{usd(figures.usdTradingVolume24h)}</Figure>
            <Figure label="In pools">{usd(figures.usdTvl)}</Figure>
            <Figure label="Market cap">{usd(token?.global?.usdMarketCap)}</Figure>
          </Figures>
        </Panel>
        <Prices id={id} symbol={token?.symbol ?? ""} />
        <div class="columns">
          <Trades id={id} decimals={token?.decimals} symbol={token?.symbol ?? ""} />
          <Venues id={id} />
        </div>
        <Pools id={id} />
      </div>
    </Page>
  );
}

function Prices({ id, symbol: name }: { id: string; symbol: string }) {
  const resolution = (RESOLUTIONS.find(([it]) => it === parameter("resolution"))?.[0] ?? "1H") as Resolution;
  const mode = MODES.find(([it]) => it === parameter("view"))?.[0] ?? "candles";
  const Drawn = useSignal<ComponentType<{ candles: Candle[]; open: Candle | null; mode: Mode; label: string }> | null>(null);
  const open = useSignal<Candle | null>(null);
  const path = query(`/v3/tokens/${id}/prices/candle`, { resolution });
  const { data, failure, again } = useLoaded(path, (signal) => ask<Candle[]>(path, { signal }), rewritten);
  useEffect(() => {
    open.value = null;
  }, [data]);
  useCandles(`${id}:${resolution}`, (candle) => (open.value = candle as Candle));
  useEffect(() => {
    void import("../ui/chart").then((it) => (Drawn.value = it.Chart));
  }, []);
  const Chart = Drawn.value;
  return (
    <Panel
      title="Price and volume"
      aside={
        <>
          <Choice label="Resolution" value={resolution} options={RESOLUTIONS} onChange={(next) => note({ resolution: next })} />
          <Choice label="View" value={mode} options={MODES} onChange={(next) => note({ view: next })} />
        </>
      }
    >
      <div class="chart-place">
        {failure && !data ? (
          <Trouble failure={failure} again={again} />
        ) : mode === "table" ? (
          <CandleTable candles={[...(data ?? []), ...(open.value ? [open.value] : [])]} />
        ) : data && Chart ? (
          <Chart candles={data} open={open.value} mode={mode} label={`${name} in dollars, ${data.length} steps of ${resolution}; the table view has the numbers`} />
        ) : (
          <Skeleton class="block" />
        )}
      </div>
    </Panel>
  );
}

function CandleTable({ candles }: { candles: Candle[] }) {
  const rows = [...new Map(candles.map((candle) => [candle.date, candle])).values()].slice(-TABLE_ROWS).reverse();
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Prices as a table">
      <table class="table dense">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col" class="number">Open</th>
            <th scope="col" class="number">High</th>
            <th scope="col" class="number">Low</th>
            <th scope="col" class="number">Close</th>
            <th scope="col" class="number">Volume</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((candle) => (
            <tr key={candle.date}>
              <td>{date(candle.date)}</td>
              <td class="number">{price(candle.open)}</td>
              <td class="number">{price(candle.high)}</td>
              <td class="number">{price(candle.low)}</td>
              <td class={`number ${tone(candle.close - candle.open)}`}>{price(candle.close)}</td>
              <td class="number">{usd(candle.volume)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Venues({ id }: { id: string }) {
  const { data, failure, again } = useLoaded(`tvl ${id}`, (signal) => ask<ExchangeTvl[]>(`/v3/tokens/${id}/exchange-tvl`, { signal }), rewritten);
  const rows = [...(data ?? [])].sort((a, b) => (b.valueUsd ?? 0) - (a.valueUsd ?? 0));
  const whole = rows.reduce((sum, row) => sum + (row.valueUsd ?? 0), 0);
  return (
    <Panel title="Where it lies" aside={data ? usd(whole) : undefined}>
      {failure && !data ? (
        <Trouble failure={failure} again={again} />
      ) : data && !whole ? (
        <Empty title="In no pool">No venue holds this token now.</Empty>
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

function Trades({ id, decimals, symbol: name }: { id: string; decimals: number | undefined; symbol: string }) {
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
        <Empty title="Nobody traded it yet" />
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
                <th scope="col">Venue</th>
              </tr>
            </thead>
            <tbody>
              {!data && <SkeletonRows rows={10} columns={6} />}
              {data?.map((trade, at) => (
                <tr key={`${trade.transactionHash}${at}`} title={`block ${count(trade.blockNumber)}, for ${shown(BigInt(trade.otherAmount), tokens.value.get(trade.otherToken)?.decimals ?? 18)} ${symbol(trade.otherToken)}`}>
                  <td class="soft">{ago((now.value - Date.parse(trade.timestamp)) / 1000)}</td>
                  <td class={trade.side === "buy" ? "up" : "down"}>{trade.side === "buy" ? "Buy" : "Sell"}</td>
                  <td class="number">{decimals === undefined ? "" : shown(BigInt(trade.amount), decimals, 5)}</td>
                  <td class="number">{price(trade.priceUsd)}</td>
                  <td class="number">{usd(trade.valueUsd)}</td>
                  <td>{trade.venue}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Pools({ id }: { id: string }) {
  const path = query("/v3/pools", { token: id, sort: "tvl", size: 20 });
  const { data, failure, again } = useLoaded(path, async (signal) => (await ask<{ content: Pool[] }>(path, { signal })).content, rewritten);
  return (
    <Panel title="Pools" aside={<a href={query("/pools", { token: id })}>All of them</a>} flush>
      {failure && !data ? <Trouble failure={failure} again={again} /> : <PoolTable pools={data} rows={8} />}
    </Panel>
  );
}
