// The leases of whoever is signed in, each from its booking to its end.
import { useSignal } from "@preact/signals";
import { query } from "../../lib/api";
import { date } from "../../lib/format";
import { leaseNews, useLeaseNews, type Epoch, type Lease } from "../../lib/leases";
import { pace } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import { note, parameter } from "../../lib/router";
import { market, session } from "../../lib/session";
import { hasLeases } from "../../lib/settings";
import { Choice, Empty, Page, Panel, Skeleton, Tag, Trouble } from "../../ui/parts";
import { SignedIn, SignIn, useSession } from "../../ui/sign-in";
import { stateKind, stateWords, Timeline } from "../../ui/timeline";
import { Details } from "./details";
import "../../style/leases.css";

const STATES = [["", "All"], ["pending_payment", "Unpaid"], ["active", "Active"], ["completed", "Completed"]] as const;

export function Leases() {
  useSession();
  useLeaseNews();
  const state = parameter("state") ?? "";
  const who = session.value;
  const path = query("/v1/leases", { limit: 50, state });
  const { data, failure, again } = useLoaded(hasLeases && who ? `${who.bearer} ${path}` : null, (signal) => market<Lease[]>(path, { signal }), leaseNews);
  const { data: epoch } = useLoaded(hasLeases ? "epoch" : null, (signal) => market<Epoch>("/v1/epoch", { signal, bearer: null }), pace);
  return (
    <Page title="Leases" lead={epoch ? `Epoch ${epoch.epoch}, ending around ${date(epoch.estimated_end_at)}.` : "The validators you have leased."} actions={<SignedIn />}>
      {!who ? (
        <Panel title="Your leases">
          <SignIn why="Leases are visible only to those who hold them. Sign in to see yours." />
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
                Find a <a href="/validators">validator</a> and book some of its epochs.
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

const epochsOf = ({ epoch_start: first, epoch_end: end }: Lease): string => (end - first === 1 ? `Epoch ${first}` : `Epochs ${first} to ${end - 1}`);

function One({ lease, epoch, again }: { lease: Lease; epoch: number | undefined; again: () => void }) {
  const open = useSignal(lease.state === "pending_payment");
  return (
    <Panel
      title={
        <>
          {epochsOf(lease)} <Tag kind={stateKind(lease.state)}>{stateWords(lease.state)}</Tag>
        </>
      }
      aside={
        <>
          <span>
            {lease.mode}, {lease.total_sol} SOL
          </span>
          <a href={`/validators/${lease.validator_id}`}>Validator</a>
          <button type="button" class="button small" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
            {open.value ? "Hide" : "Details"}
          </button>
        </>
      }
    >
      <Timeline lease={lease} epoch={epoch} />
      {open.value && <Details id={lease.public_id} epoch={epoch} changed={again} />}
    </Panel>
  );
}
