// A lease from its booking to its end.
import { date } from "../lib/format";
import type { Lease } from "../lib/leases";

const WORDS: Record<Lease["state"], string> = {
  pending_payment: "Awaiting payment",
  active: "Active",
  completed: "Completed",
  expired: "Not paid in time",
  revoked: "Revoked",
};

export const stateWords = (state: Lease["state"]): string => WORDS[state];
export const stateKind = (state: Lease["state"]): string => ({ pending_payment: "warn", active: "good", completed: "", expired: "bad", revoked: "bad" })[state];

interface Step {
  name: string;
  when: string;
  state: "done" | "now" | "ahead" | "wrong";
}

function steps(lease: Lease, epoch: number | undefined): Step[] {
  const began = lease.activated_at !== null && epoch !== undefined && epoch >= lease.epoch_start;
  const booked: Step = { name: "Booked", when: date(lease.created_at), state: "done" };
  if (lease.state === "expired") return [booked, { name: "Lapsed", when: date(lease.ended_at), state: "wrong" }];
  const paid: Step = { name: "Paid", when: lease.activated_at ? date(lease.activated_at) : "not yet", state: lease.activated_at ? "done" : lease.state === "revoked" ? "ahead" : "now" };
  const ended = lease.state === "completed" || lease.state === "revoked";
  const running: Step = { name: "Running", when: `from epoch ${lease.epoch_start}`, state: ended && lease.activated_at ? "done" : began ? "now" : "ahead" };
  const over: Step =
    lease.state === "revoked"
      ? { name: "Revoked", when: date(lease.ended_at), state: "wrong" }
      : { name: "Completed", when: lease.state === "completed" ? date(lease.ended_at) : `after epoch ${lease.epoch_end - 1}`, state: lease.state === "completed" ? "done" : "ahead" };
  return [booked, paid, running, over];
}

export function Timeline({ lease, epoch }: { lease: Lease; epoch: number | undefined }) {
  return (
    <ol class="timeline" aria-label={`Lease: ${WORDS[lease.state]}`}>
      {steps(lease, epoch).map((step) => (
        <li key={step.name} class={step.state} aria-current={step.state === "now" ? "step" : undefined}>
          <strong>{step.name}</strong>
          <small>{step.when}</small>
        </li>
      ))}
    </ol>
  );
}
