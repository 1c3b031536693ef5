// What can be done with a lease, and what happened to it.
import { useSignal } from "@preact/signals";
import { date } from "../../lib/format";
import { leaseNews, type LeaseDetail, type LeaseEvent } from "../../lib/leases";
import { useLoaded } from "../../lib/load";
import { attempt, copy } from "../../lib/notices";
import { market, ulid } from "../../lib/session";
import { Action, Skeleton, Trouble } from "../../ui/parts";
import { Payment } from "../../ui/payment";

export function Details({ id, epoch, changed }: { id: string; epoch: number | undefined; changed: () => void }) {
  const { data: lease, failure, again } = useLoaded(`lease ${id}`, (signal) => market<LeaseDetail>(`/v1/leases/${id}`, { signal }), leaseNews);
  const token = useSignal<{ token: string; expires_at: string } | null>(null);
  const epochs = useSignal(1);
  const stars = useSignal("5");
  if (failure && !lease) return <Trouble failure={failure} again={again} />;
  if (!lease) return <div class="details-wait"><Skeleton class="block" /></div>;
  const act = (what: string, deed: () => Promise<unknown>) =>
    attempt(async () => {
      await deed();
      again();
      changed();
    }, what);
  const due = lease.payment ?? lease.pending_extension?.payment;
  const runs = lease.state === "active" && epoch !== undefined && epoch >= lease.epoch_start && epoch < lease.epoch_end;
  return (
    <div class="details">
      {due && <Payment due={due} onPaid={again} />}
      <div class="fields">
        {lease.state === "pending_payment" && <Action run={() => act("Booking cancelled", () => market(`/v1/leases/${id}/cancel`, { body: {} }))}>Cancel booking</Action>}
        {lease.state === "active" && !lease.pending_extension && (
          <>
            <label class="field narrow">
              <span>Extra epochs</span>
              <input type="number" min={1} max={30} value={epochs.value} onInput={(event) => (epochs.value = Number(event.currentTarget.value) || 1)} />
            </label>
            <Action run={() => act("Extended: pay within 15 minutes", () => market(`/v1/leases/${id}/extend`, { body: { epoch_count: epochs.value }, headers: { "idempotency-key": ulid() } }))}>Extend</Action>
          </>
        )}
        {runs && (
          <Action
            run={() =>
              act("Token created", async () => {
                token.value = await market<{ token: string; expires_at: string }>(`/v1/leases/${id}/token`, { body: {} });
              })
            }
          >
            Create token
          </Action>
        )}
        {lease.state === "completed" && (
          <>
            <label class="field narrow">
              <span>Stars</span>
              <select value={stars.value} onChange={(event) => (stars.value = event.currentTarget.value)}>
                {["5", "4", "3", "2", "1"].map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
            <Action run={() => act("Thank you for rating", () => market(`/v1/leases/${id}/rating`, { body: { stars: Number(stars.value) } }))}>Rate</Action>
          </>
        )}
      </div>
      {token.value && (
        <p class="token-text">
          <button type="button" class="button small" onClick={() => void copy(token.value!.token)}>
            Copy token
          </button>
          <span class="soft"> valid until {date(token.value.expires_at)}</span>
          <code class="mono">{token.value.token}</code>
        </p>
      )}
      <p class="soft">
        {lease.signs_total.toLocaleString("en")} signatures reported
        {lease.settled_signature && ` · paid by ${lease.settled_signature.slice(0, 12)}…`}
      </p>
      <History id={id} />
    </div>
  );
}

function History({ id }: { id: string }) {
  const { data } = useLoaded(`events ${id}`, (signal) => market<LeaseEvent[]>(`/v1/leases/${id}/events?limit=50`, { signal }), leaseNews);
  if (!data?.length) return null;
  return (
    <ol class="history" aria-label="What happened to the lease">
      {data.map((one) => (
        <li key={one.sequence}>
          <time>{date(one.at)}</time> <span class="mono">{one.event}</span>
        </li>
      ))}
    </ol>
  );
}
