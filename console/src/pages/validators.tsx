// Validators whose epochs can be leased.
import { query } from "../lib/api";
import { EPOCHS_AHEAD } from "../lib/epochs";
import { count, share, stake } from "../lib/format";
import type { Epoch, Validator } from "../lib/leases";
import { pace } from "../lib/live";
import { useLoaded } from "../lib/load";
import { note, parameter } from "../lib/router";
import { market } from "../lib/session";
import { hasLeases } from "../lib/settings";
import { Choice, Empty, Page, Skeleton, Tag, Trouble } from "../ui/parts";
import { SignedIn, useSession } from "../ui/sign-in";
import "../style/leases.css";

const MODES = [["", "All"], ["exclusive", "Exclusive"], ["shared", "Shared"]] as const;

interface Availability {
  epoch: number;
  validators: { id: string; free: string }[];
}

async function availability(ids: string[], signal: AbortSignal): Promise<Map<string, string>> {
  const { validators } = await market<Availability>(query("/v1/validators/availability", { epochs: EPOCHS_AHEAD, validators: ids.join() }), { signal, bearer: null });
  return new Map(validators.map((one) => [one.id, one.free]));
}

export function Validators() {
  useSession();
  const mode = parameter("mode") ?? "";
  const path = query("/v1/validators", { limit: 50, mode });
  const { data, failure, again } = useLoaded(hasLeases ? path : null, (signal) => market<Validator[]>(path, { signal, bearer: null }), pace);
  const ids = (data ?? []).map((one) => one.public_id);
  const { data: free } = useLoaded(ids.length ? `availability ${ids.join()}` : null, (signal) => availability(ids, signal), pace);
  const { data: epoch } = useLoaded(hasLeases ? "epoch" : null, (signal) => market<Epoch>("/v1/epoch", { signal, bearer: null }), pace);
  return (
    <Page
      title="Validators"
      lead={epoch ? `Epoch ${epoch.epoch}, ${share(epoch.slot_index / epoch.slots_in_epoch, 0)} complete. Capacity is leased by the epoch and paid for on Solana.` : "Capacity is leased by the epoch and paid for on Solana."}
      actions={<SignedIn />}
    >
      <div class="toolbar">
        <Choice label="Which leases" value={mode as (typeof MODES)[number][0]} options={MODES} onChange={(next) => note({ mode: next })} />
      </div>
      {failure && !data && <Trouble failure={failure} again={again} />}
      {data && !data.length && <Empty title="No validators yet">On simulated networks the first ones are listed within a minute.</Empty>}
      <ul class="validator-grid">
        {!data && !failure && Array.from({ length: 8 }, (_, at) => <li key={at} class="validator-card"><Skeleton class="block" /></li>)}
        {data?.map((one) => (
          <li key={one.public_id}>
            <Card one={one} free={free?.get(one.public_id)} epoch={epoch?.epoch} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

function Card({ one, free, epoch }: { one: Validator; free: string | undefined; epoch: number | undefined }) {
  return (
    <a class="validator-card" href={`/validators/${one.public_id}`}>
      <span class="validator-name">
        <strong>{one.name}</strong>
        {one.delinquent && <Tag kind="bad">Delinquent</Tag>}
      </span>
      <span class="soft">
        {one.region} · {one.tier}
      </span>
      <span class="validator-price">
        {one.price_sol} SOL<small> per epoch{one.shared ? ` · ${one.shared.price_sol} a seat` : ""}</small>
      </span>
      <span class="validator-figures">
        <span>
          <small>Uptime</small> {share(one.uptime_30d)}
        </span>
        <span>
          <small>Effectiveness</small> {share(one.effectiveness)}
        </span>
        <span>
          <small>Stake</small> {stake(one.stake_lamports)}
        </span>
        <span>
          <small>Rating</small> {one.rating.average === null ? "–" : `${one.rating.average.toFixed(1)} (${count(one.rating.count)})`}
        </span>
      </span>
      <Free bits={free} />
      <small>{one.next_free_epoch === null ? "Fully booked" : one.next_free_epoch === epoch ? "Free now" : `Free from epoch ${one.next_free_epoch}`}</small>
    </a>
  );
}

/** The next epochs, one mark each. */
const Free = ({ bits }: { bits: string | undefined }) => (
  <svg class="free" viewBox={`0 0 ${EPOCHS_AHEAD * 4 - 1} 10`} preserveAspectRatio="none" role="img" aria-label={bits ? `${[...bits].filter((bit) => bit === "1").length} of the next ${bits.length} epochs are free` : "free epochs"}>
    {[...(bits ?? "".padEnd(EPOCHS_AHEAD, "?"))].map((bit, at) => (
      <rect key={at} x={at * 4} width="3" height="10" class={bit === "1" ? "free-yes" : bit === "0" ? "free-no" : ""} />
    ))}
  </svg>
);
