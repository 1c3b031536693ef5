// One validator: what it offers, which epochs are free, and booking them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { date, share, sol } from "../lib/format";
import { leaseNews, useLeaseNews, type Epoch, type LeaseDetail, type Span, type ValidatorDetail } from "../lib/leases";
import { pace } from "../lib/live";
import { useLoaded } from "../lib/load";
import { say } from "../lib/notices";
import { market, session, ulid } from "../lib/session";
import type { PageProps } from "../routes";
import { Action, Address, Choice, Figure, Figures, Page, Panel, Skeleton, Tag, Trouble } from "../ui/parts";
import { Payment } from "../ui/payment";
import { SignedIn, SignIn, useSession } from "../ui/sign-in";
import { Timeline } from "../ui/timeline";
import "../style/leases.css";

const EPOCHS = 60;
const LONGEST = 30;
type Mode = "exclusive" | "shared";

interface Rating {
  public_id: string;
  stars: number;
  comment: string | null;
  created_at: string;
  reply: { text: string } | null;
}

const spanOf = (spans: Span[], epoch: number): Span | undefined => spans.find((span) => epoch >= span.from_epoch && epoch < span.to_epoch);

const isFree = (spans: Span[], epoch: number, mode: Mode): boolean => {
  const span = spanOf(spans, epoch);
  return mode === "exclusive" ? span?.kind === "exclusive" : !!span && span.seats_left > 0;
};

export function ValidatorPage({ id }: PageProps) {
  useSession();
  useLeaseNews();
  const { data: one, failure, again } = useLoaded(`validator ${id}`, (signal) => market<ValidatorDetail>(`/v1/validators/${id}`, { signal, bearer: null }), pace, leaseNews);
  const { data: epoch } = useLoaded("epoch", (signal) => market<Epoch>("/v1/epoch", { signal, bearer: null }), pace);
  const mode = useSignal<Mode>("exclusive");
  const start = useSignal<number | null>(null);
  const count = useSignal(1);
  const booked = useSignal<string | null>(null);
  if (failure && !one)
    return (
      <Page title="Validator">
        <Trouble failure={failure} again={again} />
      </Page>
    );
  return (
    <Page
      title={
        <>
          {one?.name ?? <Skeleton class="title" />} {one?.delinquent && <Tag kind="bad">Delinquent</Tag>}
        </>
      }
      lead={one ? `${one.region} · ${one.tier} · ${one.status}` : "\u00a0"}
      actions={<SignedIn />}
    >
      <div class="stack">
        <Panel>
          <Figures>
            <Figure label="An epoch" hint={one?.shared ? `a seat of ${one.shared.seats}: ${sol(one.shared.price_lamports)}` : "exclusive alone"}>
              {one ? `${one.price_sol} SOL` : <Skeleton />}
            </Figure>
            <Figure label="Uptime, 30 days">{share(one?.uptime_30d)}</Figure>
            <Figure label="Effectiveness">{share(one?.effectiveness)}</Figure>
            <Figure label="Stake">{one?.stake_lamports == null ? "–" : sol(Math.round(one.stake_lamports / 1e9) * 1e9)}</Figure>
            <Figure label="Rating" hint={one ? `${one.rating.count} ratings` : undefined}>
              {one?.rating.average == null ? "–" : one.rating.average.toFixed(1)}
            </Figure>
            <Figure label="Identity">{one ? <Address value={one.identity_pubkey} /> : <Skeleton />}</Figure>
          </Figures>
        </Panel>
        <div class="side">
          <Panel title="The next 60 epochs" aside={<Legend />}>
            <Calendar one={one} epoch={epoch?.epoch} mode={mode.value} start={start.value} count={count.value} onPick={(picked) => (start.value = picked)} />
          </Panel>
          <Panel title="Book">
            {session.value ? (
              <Booking one={one} epoch={epoch?.epoch} mode={mode} start={start} count={count} onBooked={(lease) => (booked.value = lease)} />
            ) : (
              <SignIn why="Sign in to book epochs." />
            )}
          </Panel>
        </div>
        {booked.value && session.value && <Booked id={booked.value} epoch={epoch?.epoch} />}
        <Ratings id={id} />
      </div>
    </Page>
  );
}

const Legend = () => (
  <span class="legend">
    <i class="cell free" /> free <i class="cell shared" /> seats left <i class="cell" /> taken
  </span>
);

function Calendar({ one, epoch, mode, start, count, onPick }: { one: ValidatorDetail | undefined; epoch: number | undefined; mode: Mode; start: number | null; count: number; onPick: (epoch: number) => void }) {
  const first = epoch ?? 0;
  return (
    <div class="calendar" role="group" aria-label="Epochs; choose where the lease begins">
      {Array.from({ length: EPOCHS }, (_, at) => {
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

interface Held<T> {
  value: T;
}

function Booking({ one, epoch, mode, start, count, onBooked }: { one: ValidatorDetail | undefined; epoch: number | undefined; mode: Held<Mode>; start: Held<number | null>; count: Held<number>; onBooked: (lease: string) => void }) {
  const modes = [["exclusive", "Exclusive"], ...(one?.shared ? [["shared", "A seat"]] : [])] as [Mode, string][];
  useEffect(() => {
    if (one && epoch !== undefined && start.value === null) {
      const first = Array.from({ length: EPOCHS }, (_, at) => epoch + at).find((it) => it > epoch && isFree(one.availability, it, mode.value));
      if (first !== undefined) start.value = first;
    }
  }, [one, epoch]);
  const lamports = one ? (mode.value === "shared" && one.shared ? one.shared.price_lamports : one.price_lamports) : 0;
  const run = async () => {
    try {
      const body = { validator_id: one!.public_id, epoch_start: start.value, epoch_count: count.value, mode: mode.value };
      const made = await market<{ lease_id: string }>("/v1/leases", { body, headers: { "idempotency-key": ulid() } });
      say("Booked: pay within 15 minutes");
      onBooked(made.lease_id);
    } catch (error) {
      say((error as Error).message, "wrong", 9_000);
    }
  };
  return (
    <div class="booking">
      <Choice label="Kind of lease" value={mode.value} options={modes} onChange={(next) => (mode.value = next)} />
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
function Booked({ id, epoch }: { id: string; epoch: number | undefined }) {
  const { data: lease, again } = useLoaded(`lease ${id}`, (signal) => market<LeaseDetail>(`/v1/leases/${id}`, { signal }), leaseNews, pace);
  if (!lease) return null;
  return (
    <Panel title="Your lease" aside={<a href="/leases">All of your leases</a>} class="booked">
      <Timeline lease={lease} epoch={epoch} />
      {lease.state === "pending_payment" && lease.payment && <Payment due={lease.payment} onPaid={again} />}
    </Panel>
  );
}

function Ratings({ id }: { id: string }) {
  const { data } = useLoaded(`ratings ${id}`, (signal) => market<Rating[]>(`/v1/validators/${id}/ratings?limit=20`, { signal, bearer: null }));
  if (!data?.length) return null;
  return (
    <Panel title="Ratings">
      <ul class="ratings">
        {data.map((one) => (
          <li key={one.public_id}>
            <span class="stars" role="img" aria-label={`${one.stars} of 5 stars`}>
              {"★".repeat(one.stars)}
              <span>{"★".repeat(5 - one.stars)}</span>
            </span>
            <small>{date(one.created_at)}</small>
            {one.comment && <p>{one.comment}</p>}
            {one.reply && <p class="soft">Reply: {one.reply.text}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
