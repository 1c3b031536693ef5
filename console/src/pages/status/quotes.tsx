// How fast and how good quotes were since the start.
import { count } from "../../lib/format";
import { quantile, sum, type Metrics } from "../../lib/metrics";
import { Figure, Figures, Panel } from "../../ui/parts";

const milliseconds = (seconds: number | null): string => (seconds === null ? "–" : Number.isFinite(seconds) ? `≤ ${+(seconds * 1000).toPrecision(3)} ms` : "> 10 s");
const gap = (share: number | null): string => (share === null ? "–" : Number.isFinite(share) ? `≤ ${+(share * 100).toPrecision(2)}%` : "not known");

export function Quotes({ metrics }: { metrics: Metrics | undefined }) {
  return (
    <Panel title="Quotes" aside="since the start">
      <Figures>
        <Figure label="Found" hint={`${count(sum(metrics, "stoa_swap_quotes_total", (it) => it.labels.outcome !== "found"))} without a route`}>
          {count(sum(metrics, "stoa_swap_quotes_total", (it) => it.labels.outcome === "found"))}
        </Figure>
        <Figure label="Median latency">{milliseconds(quantile(metrics, "stoa_swap_quote_seconds", 0.5))}</Figure>
        <Figure label="95th percentile">{milliseconds(quantile(metrics, "stoa_swap_quote_seconds", 0.95))}</Figure>
        <Figure label="Median gap" hint="to the best possible">{gap(quantile(metrics, "stoa_swap_quote_gap", 0.5))}</Figure>
        <Figure label="Gap, 90th percentile">{gap(quantile(metrics, "stoa_swap_quote_gap", 0.9))}</Figure>
        <Figure label="Requests served">{count(sum(metrics, "stoa_http_requests_total"))}</Figure>
      </Figures>
    </Panel>
  );
}
