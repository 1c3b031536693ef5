// Which epochs of a validator can be leased.
import type { Span } from "./leases";

/** How far ahead the market books. */
export const EPOCHS_AHEAD = 60;
export type Mode = "exclusive" | "shared";

export const spanOf = (spans: Span[], epoch: number): Span | undefined => spans.find((span) => epoch >= span.from_epoch && epoch < span.to_epoch);

export const isFree = (spans: Span[], epoch: number, mode: Mode): boolean => {
  const span = spanOf(spans, epoch);
  return mode === "exclusive" ? span?.kind === "exclusive" : !!span && span.seats_left > 0;
};
