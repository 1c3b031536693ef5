// The next epochs of a validator: what is free, and where a lease begins.
import { EPOCHS_AHEAD, isFree, spanOf, type Mode } from "../../lib/epochs";
import type { ValidatorDetail } from "../../lib/leases";

export const Legend = () => (
  <span class="legend">
    <i class="cell free" /> free <i class="cell shared" /> seats left <i class="cell" /> taken
  </span>
);

interface CalendarProps {
  one: ValidatorDetail | undefined;
  epoch: number | undefined;
  mode: Mode;
  start: number | null;
  count: number;
  onPick: (epoch: number) => void;
}

export function Calendar({ one, epoch, mode, start, count, onPick }: CalendarProps) {
  const first = epoch ?? 0;
  return (
    <div class="calendar" role="group" aria-label="Epochs; choose where the lease begins">
      {Array.from({ length: EPOCHS_AHEAD }, (_, at) => {
        const it = first + at;
        const span = one && spanOf(one.availability, it);
        const kind = !one || epoch === undefined ? "wait" : span?.kind === "exclusive" ? "free" : span ? "shared" : "";
        const chosen = start !== null && it >= start && it < start + count;
        const words = kind === "free" ? "free" : kind === "shared" ? `${span!.seats_left} seats left` : "taken";
        return (
          <button type="button" key={at} class={`cell ${kind} ${chosen ? "chosen" : ""}`} disabled={!one || !isFree(one.availability, it, mode)} aria-pressed={chosen} aria-label={`Epoch ${it}, ${words}`} onClick={() => onPick(it)}>
            {epoch === undefined ? "" : it}
          </button>
        );
      })}
    </div>
  );
}
