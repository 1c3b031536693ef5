// The way a quote takes: drawn, and as a table; and how long it is good.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { now } from "../../lib/live";
import { flows, type Flow, type Quote } from "../../lib/quote";
import { amount } from "../../lib/tokens";
import { Skeleton } from "../../ui/parts";
import { VenueName } from "../../ui/venue-name";

const RING_S = 30;

export function Countdown({ expiry }: { expiry: number }) {
  const left = Math.max(0, Math.round(expiry - now.value / 1000));
  return (
    <span class="countdown" title="Until the quote expires; it is renewed before that">
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
        <circle cx="10" cy="10" r="8" />
        <circle class="left" cx="10" cy="10" r="8" pathLength={RING_S} stroke-dasharray={`${Math.min(left, RING_S)} ${RING_S}`} />
      </svg>
      {left}s
    </span>
  );
}

export function Route({ quote }: { quote: Quote }) {
  const Drawn = useSignal<ComponentType<{ quote: Quote }> | null>(null);
  useEffect(() => {
    void import("./sankey").then((it) => (Drawn.value = it.RouteSankey));
  }, []);
  const Sankey = Drawn.value;
  const steps = flows(quote);
  return (
    <>
      {Sankey ? (
        <Sankey quote={quote} />
      ) : (
        <div class="sankey-wait">
          <Skeleton class="block" />
        </div>
      )}
      <details class="as-table">
        <summary>
          {steps.length} {steps.length === 1 ? "swap" : "swaps"} as a table
        </summary>
        <StepTable steps={steps} />
      </details>
    </>
  );
}

const StepTable = ({ steps }: { steps: Flow[] }) => (
  <div class="scroll" tabIndex={0} role="region" aria-label="Swaps of the route">
    <table class="table dense">
      <thead>
        <tr>
          <th scope="col">Venue</th>
          <th scope="col" class="number">Share</th>
          <th scope="col" class="number">Sells</th>
          <th scope="col" class="number">Buys</th>
        </tr>
      </thead>
      <tbody>
        {steps.map((step) => (
          <tr key={step.key}>
            <th scope="row">
              <VenueName name={step.venue} />
            </th>
            <td class="number">{(step.share * 100).toFixed(2)}%</td>
            <td class="number">{amount(step.sellAmount, step.from)}</td>
            <td class="number">{amount(step.buyAmount, step.to)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
