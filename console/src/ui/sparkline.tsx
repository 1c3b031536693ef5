// A line without axes: where a price went, in the colour of the change beside it.
import { tone } from "../lib/format";

const WIDTH = 96;
const HEIGHT = 28;
const MARGIN = 2;

export function Sparkline({ values, change, label }: { values: (number | null)[]; change: number | null; label: string }) {
  const known = values.flatMap((value, at) => (value === null ? [] : [[at, value] as const]));
  if (known.length < 2) return <svg class="sparkline" width={WIDTH} height={HEIGHT} aria-hidden="true" />;
  const low = Math.min(...known.map(([, value]) => value));
  const high = Math.max(...known.map(([, value]) => value));
  const x = (at: number) => ((at / (values.length - 1)) * WIDTH).toFixed(1);
  const y = (value: number) => (high === low ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN)).toFixed(1);
  const line = known.map(([at, value], index) => `${index ? "L" : "M"}${x(at)} ${y(value)}`).join("");
  const [first, last] = [known[0]!, known.at(-1)!];
  return (
    <svg class={`sparkline ${tone(change)}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <path class="area" d={`${line}L${x(last[0])} ${HEIGHT}L${x(first[0])} ${HEIGHT}Z`} />
      <path class="line" d={line} />
    </svg>
  );
}
