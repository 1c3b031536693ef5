// Candles or a line over volumes. The library is loaded with this file alone.
import { CandlestickSeries, ColorType, createChart, CrosshairMode, HistogramSeries, LineSeries, type IChartApi, type ISeriesApi, type UTCTimestamp } from "lightweight-charts";
import { useEffect, useRef } from "preact/hooks";
import type { Candle } from "../../lib/market";
import { price, usd } from "../../lib/format";
import { colour, theme } from "../../lib/theme";

type Mode = "candles" | "line";

export interface ChartProps {
  candles: Candle[];
  /** The candle that is still growing, once the stream has told it. */
  open: Candle | null;
  mode: Mode;
  label: string;
}

const at = (candle: Candle): UTCTimestamp => (Date.parse(candle.date) / 1000) as UTCTimestamp;

interface Drawn {
  chart: IChartApi;
  main: ISeriesApi<"Candlestick"> | ISeriesApi<"Line">;
  volume: ISeriesApi<"Histogram">;
}

const VISIBLE = 110;

function draw(place: HTMLElement, mode: Mode): Drawn {
  const [up, down, soft, line, accent] = ["--up", "--down", "--soft", "--line", "--accent"].map(colour) as [string, string, string, string, string];
  const chart = createChart(place, {
    autoSize: true,
    layout: { background: { type: ColorType.Solid, color: "transparent" }, textColor: soft, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12, attributionLogo: false },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    rightPriceScale: { borderColor: line },
    timeScale: { borderColor: line, timeVisible: true, secondsVisible: false },
    crosshair: { mode: CrosshairMode.Normal },
    localization: { priceFormatter: (value: number) => price(value) },
  });
  const quiet = { priceLineVisible: true, lastValueVisible: true };
  const main =
    mode === "candles"
      ? chart.addSeries(CandlestickSeries, { upColor: up, downColor: down, wickUpColor: up, wickDownColor: down, borderVisible: false, ...quiet })
      : chart.addSeries(LineSeries, { color: accent, lineWidth: 2, ...quiet });
  main.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.28 } });
  const volume = chart.addSeries(HistogramSeries, { priceScaleId: "volume", lastValueVisible: false, priceLineVisible: false, priceFormat: { type: "custom", formatter: (value: number) => usd(value), minMove: 0.01 } });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  return { chart, main, volume };
}

const mainPoint = (mode: Mode, candle: Candle) =>
  mode === "candles" ? { time: at(candle), open: candle.open, high: candle.high, low: candle.low, close: candle.close } : { time: at(candle), value: candle.close };

const volumePoint = (candle: Candle) => ({ time: at(candle), value: candle.volume, color: colour(candle.close >= candle.open ? "--up-soft" : "--down-soft") });

export function Chart({ candles, open, mode, label }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  useEffect(() => {
    const it = draw(place.current!, mode);
    it.main.setData(candles.map((candle) => mainPoint(mode, candle)) as never);
    it.volume.setData(candles.map(volumePoint));
    if (candles.length > VISIBLE) it.chart.timeScale().setVisibleLogicalRange({ from: candles.length - VISIBLE, to: candles.length + 3 });
    else it.chart.timeScale().fitContent();
    drawn.current = it;
    return () => {
      drawn.current = null;
      it.chart.remove();
    };
  }, [candles, mode, theme.value]);
  useEffect(() => {
    const last = candles.at(-1);
    if (!open || !drawn.current || (last && at(open) < at(last))) return;
    drawn.current.main.update(mainPoint(mode, open) as never);
    drawn.current.volume.update(volumePoint(open));
  }, [open]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}
