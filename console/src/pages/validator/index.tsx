// One validator: what it offers, which epochs are free, and booking them.
import { useSignal } from "@preact/signals";
import type { Mode } from "../../lib/epochs";
import { share, sol, stake } from "../../lib/format";
import { leaseNews, useLeaseNews, type Epoch, type ValidatorDetail } from "../../lib/leases";
import { pace } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import { market, session } from "../../lib/session";
import type { PageProps } from "../../routes";
import { Address, Figure, Figures, Page, Panel, Skeleton, Tag, Trouble } from "../../ui/parts";
import { SignedIn, SignIn, useSession } from "../../ui/sign-in";
import { Booked, Booking } from "./booking";
import { Calendar, Legend } from "./calendar";
import { Ratings } from "./ratings";
import "../../style/leases.css";

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
            <Figure label="Price per epoch" hint={one?.shared ? `or ${sol(one.shared.price_lamports)} for one of ${one.shared.seats} seats` : "exclusive only"}>
              {one ? `${one.price_sol} SOL` : <Skeleton />}
            </Figure>
            <Figure label="Uptime, 30 days">{share(one?.uptime_30d)}</Figure>
            <Figure label="Effectiveness">{share(one?.effectiveness)}</Figure>
            <Figure label="Stake">{stake(one?.stake_lamports)}</Figure>
            <Figure label="Rating" hint={one && (one.rating.count === 1 ? "1 rating" : `${one.rating.count} ratings`)}>
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
