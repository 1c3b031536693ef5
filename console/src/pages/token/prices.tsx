// A token's price over time: candles, a line, or the numbers.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ask, query } from "../../lib/api";
import { date, price, tone, usd } from "../../lib/format";
import { rewritten, useCandles } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import type { Candle } from "../../lib/market";
import { note, parameter } from "../../lib/router";
import { Choice, Panel, Skeleton, Trouble } from "../../ui/parts";
import type { ChartProps } from "./chart";

const RESOLUTIONS = [["1", "1m"], ["5", "5m"], ["15", "15m"], ["1H", "1h"], ["4H", "4h"], ["1D", "1D"], ["1W", "1W"]] as const;
type Resolution = (typeof RESOLUTIONS)[number][0];
const MODES = [["candles", "Candles"], ["line", "Line"], ["table", "Table"]] as const;
const TABLE_ROWS = 60;

export function Prices({ id, symbol: name }: { id: string; symbol: string }) {
  const resolution = (RESOLUTIONS.find(([it]) => it === parameter("resolution"))?.[0] ?? "1H") as Resolution;
  const mode = MODES.find(([it]) => it === parameter("view"))?.[0] ?? "candles";
  const Drawn = useSignal<ComponentType<ChartProps> | null>(null);
  const open = useSignal<Candle | null>(null);
  const path = query(`/v3/tokens/${id}/prices/candle`, { resolution });
  const { data, failure, again } = useLoaded(path, (signal) => ask<Candle[]>(path, { signal }), rewritten);
  useEffect(() => {
    open.value = null;
  }, [data]);
  useCandles(`${id}:${resolution}`, (candle) => (open.value = candle as Candle));
  useEffect(() => {
    void import("./chart").then((it) => (Drawn.value = it.Chart));
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
          <Chart candles={data} open={open.value} mode={mode} label={`${name} in dollars, ${data.length} steps of ${resolution}; the table has the numbers`} />
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
              <td class={`number ${tone((candle.close / candle.open - 1) * 100)}`}>{price(candle.close)}</td>
              <td class="number">{usd(candle.volume)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
