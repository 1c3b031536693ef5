// The leases of whoever is signed in, each from its booking to its end.
import { useSignal } from "@preact/signals";
import { query } from "../lib/api";
import { date } from "../lib/format";
import { leaseNews, useLeaseNews, type Epoch, type Lease, type LeaseDetail } from "../lib/leases";
import { pace } from "../lib/live";
import { useLoaded } from "../lib/load";
import { copy, say } from "../lib/notices";
import { note, parameter } from "../lib/router";
import { market, session, ulid } from "../lib/session";
import { hasLeases } from "../lib/settings";
import { Action, Choice, Empty, Page, Panel, Skeleton, Tag, Trouble } from "../ui/parts";
import { Payment } from "../ui/payment";
import { SignedIn, SignIn, useSession } from "../ui/sign-in";
import { stateKind, stateWords, Timeline } from "../ui/timeline";
import "../style/leases.css";

const STATES = [["", "All"], ["pending_payment", "To pay"], ["active", "Active"], ["completed", "Completed"]] as const;

export function Leases() {
  useSession();
  useLeaseNews();
  const state = parameter("state") ?? "";
  const who = session.value;
  const path = query("/v1/leases", { limit: 50, state });
  const { data, failure, again } = useLoaded(hasLeases && who ? `${who.bearer} ${path}` : null, (signal) => market<Lease[]>(path, { signal }), leaseNews);
  const { data: epoch } = useLoaded(hasLeases ? "epoch" : null, (signal) => market<Epoch>("/v1/epoch", { signal, bearer: null }), pace);
  return (
    <Page title="Leases" lead={epoch ? `Epoch ${epoch.epoch}; it ends about ${date(epoch.estimated_end_at)}.` : "Your leases of validators."} actions={<SignedIn />}>
      {!who ? (
        <Panel title="Whose leases?">
          <SignIn why="Leases are their trader's business. Sign in to see yours." />
        </Panel>
      ) : (
        <>
          <div class="toolbar">
            <Choice label="Which leases" value={state as (typeof STATES)[number][0]} options={STATES} onChange={(next) => note({ state: next })} />
          </div>
          {failure && !data && <Trouble failure={failure} again={again} />}
          {data && !data.length && (
            <Panel>
              <Empty title="No lease yet">
                Look for a <a href="/validators">validator</a> and book some of its epochs.
              </Empty>
            </Panel>
          )}
          <div class="stack">
            {!data && !failure && Array.from({ length: 3 }, (_, at) => <Panel key={at} class="lease-wait"><Skeleton class="block" /></Panel>)}
            {data?.map((lease) => (
              <One key={lease.public_id} lease={lease} epoch={epoch?.epoch} again={again} />
            ))}
          </div>
        </>
      )}
    </Page>
  );
}

function One({ lease, epoch, again }: { lease: Lease; epoch: number | undefined; again: () => void }) {
  const open = useSignal(lease.state === "pending_payment");
  return (
    <Panel
      title={
        <>
          Epochs {lease.epoch_start} to {lease.epoch_end - 1} <Tag kind={stateKind(lease.state)}>{stateWords(lease.state)}</Tag>
        </>
      }
      aside={
        <>
          <span>
            {lease.mode}, {lease.total_sol} SOL
          </span>
          <a href={`/validators/${lease.validator_id}`}>Validator</a>
          <button type="button" class="button small" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
            {open.value ? "Less" : "More"}
          </button>
        </>
      }
    >
      <Timeline lease={lease} epoch={epoch} />
      {open.value && <Details id={lease.public_id} epoch={epoch} changed={again} />}
    </Panel>
  );
}

function Details({ id, epoch, changed }: { id: string; epoch: number | undefined; changed: () => void }) {
  const { data: lease, failure, again } = useLoaded(`lease ${id}`, (signal) => market<LeaseDetail>(`/v1/leases/${id}`, { signal }), leaseNews);
  const token = useSignal<{ token: string; expires_at: string } | null>(null);
  const epochs = useSignal(1);
  const stars = useSignal("5");
  if (failure && !lease) return <Trouble failure={failure} again={again} />;
  if (!lease) return <div class="details-wait"><Skeleton class="block" /></div>;
  const attempt = async (what: string, deed: () => Promise<unknown>) => {
    try {
      await deed();
      say(what);
      again();
      changed();
    } catch (error) {
      say((error as Error).message, "wrong", 9_000);
    }
  };
  const due = lease.payment ?? lease.pending_extension?.payment;
  const runs = lease.state === "active" && epoch !== undefined && epoch >= lease.epoch_start && epoch < lease.epoch_end;
  return (
    <div class="details">
      {due && <Payment due={due} onPaid={again} />}
      <div class="fields">
        {lease.state === "pending_payment" && <Action run={() => attempt("Given up", () => market(`/v1/leases/${id}/cancel`, { body: {} }))}>Give it up</Action>}
        {lease.state === "active" && !lease.pending_extension && (
          <>
            <label class="field narrow">
              <span>More epochs</span>
              <input type="number" min={1} max={30} value={epochs.value} onInput={(event) => (epochs.value = Number(event.currentTarget.value) || 1)} />
            </label>
            <Action run={() => attempt("Extended: pay within 15 minutes", () => market(`/v1/leases/${id}/extend`, { body: { epoch_count: epochs.value }, headers: { "idempotency-key": ulid() } }))}>Extend</Action>
          </>
        )}
        {runs && (
          <Action
            run={() =>
              attempt("A token for the gateway", async () => {
                token.value = await market<{ token: string; expires_at: string }>(`/v1/leases/${id}/token`, { body: {} });
              })
            }
          >
            Mint a token
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
            <Action run={() => attempt("Rated", () => market(`/v1/leases/${id}/rating`, { body: { stars: Number(stars.value) } }))}>Rate</Action>
          </>
        )}
      </div>
      {token.value && (
        <p class="token-text">
          <button type="button" class="button small" onClick={() => void copy(token.value!.token)}>
            Copy the token
          </button>
          <span class="soft"> good until {date(token.value.expires_at)}</span>
          <code class="mono">{token.value.token}</code>
        </p>
      )}
      <p class="soft">
        {lease.signs_total.toLocaleString("en")} signatures reported
        {lease.settled_signature && ` · paid by ${lease.settled_signature.slice(0, 12)}…`}
      </p>
    </div>
  );
}
