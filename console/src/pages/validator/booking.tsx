// Booking epochs of a validator, and what was just booked.
import { useEffect } from "preact/hooks";
import { EPOCHS_AHEAD, isFree, type Mode } from "../../lib/epochs";
import { sol } from "../../lib/format";
import { leaseNews, type LeaseDetail, type ValidatorDetail } from "../../lib/leases";
import { pace } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import { attempt } from "../../lib/notices";
import { market, ulid } from "../../lib/session";
import { Action, Choice, Panel } from "../../ui/parts";
import { Payment } from "../../ui/payment";
import { Timeline } from "../../ui/timeline";

const LONGEST = 30;

interface Held<T> {
  value: T;
}

interface BookingProps {
  one: ValidatorDetail | undefined;
  epoch: number | undefined;
  mode: Held<Mode>;
  start: Held<number | null>;
  count: Held<number>;
  onBooked: (lease: string) => void;
}

export function Booking({ one, epoch, mode, start, count, onBooked }: BookingProps) {
  const modes = [["exclusive", "Exclusive"], ...(one?.shared ? [["shared", "A seat"]] : [])] as [Mode, string][];
  useEffect(() => {
    if (one && epoch !== undefined && start.value === null) {
      const first = Array.from({ length: EPOCHS_AHEAD }, (_, at) => epoch + at).find((it) => it > epoch && isFree(one.availability, it, mode.value));
      if (first !== undefined) start.value = first;
    }
  }, [one, epoch]);
  const lamports = one ? (mode.value === "shared" && one.shared ? one.shared.price_lamports : one.price_lamports) : 0;
  const run = () =>
    attempt(async () => {
      const body = { validator_id: one!.public_id, epoch_start: start.value, epoch_count: count.value, mode: mode.value };
      const made = await market<{ lease_id: string }>("/v1/leases", { body, headers: { "idempotency-key": ulid() } });
      onBooked(made.lease_id);
    }, "Booked: pay within 15 minutes");
  return (
    <div class="booking">
      {modes.length > 1 && <Choice label="Kind of lease" value={mode.value} options={modes} onChange={(next) => (mode.value = next)} />}
      <div class="fields">
        <label class="field">
          <span>First epoch</span>
          <input type="number" value={start.value ?? ""} min={epoch} onInput={(event) => (start.value = Number(event.currentTarget.value) || null)} />
        </label>
        <label class="field">
          <span>Epochs</span>
          <input type="number" value={count.value} min={1} max={LONGEST} onInput={(event) => (count.value = Math.max(1, Math.min(LONGEST, Number(event.currentTarget.value) || 1)))} />
        </label>
      </div>
      <p class="booking-total">
        <span class="soft">Total</span>
        <strong>{sol(lamports * count.value)}</strong>
      </p>
      <Action run={run} class="primary wide" disabled={!one || start.value === null}>
        Book
      </Action>
    </div>
  );
}

/** What was just booked, until it is paid and beyond. */
export function Booked({ id, epoch }: { id: string; epoch: number | undefined }) {
  const { data: lease, again } = useLoaded(`lease ${id}`, (signal) => market<LeaseDetail>(`/v1/leases/${id}`, { signal }), leaseNews, pace);
  if (!lease) return null;
  return (
    <Panel title="Your lease" aside={<a href="/leases">All your leases</a>} class="booked">
      <Timeline lease={lease} epoch={epoch} />
      {lease.state === "pending_payment" && lease.payment && <Payment due={lease.payment} onPaid={again} />}
    </Panel>
  );
}
