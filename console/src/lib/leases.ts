// The lease market as the service tells it.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { query } from "./api";
import { market, session } from "./session";
import { isVisible } from "./visibility";

export interface Validator {
  public_id: string;
  identity_pubkey: string;
  name: string;
  tier: string;
  region: string;
  price_lamports: number;
  price_sol: string;
  shared: { price_lamports: number; price_sol: string; seats: number } | null;
  stake_lamports: number | null;
  delinquent: boolean | null;
  uptime_30d: number | null;
  effectiveness: number | null;
  rating: { average: number | null; count: number };
  status: string;
  next_free_epoch: number | null;
}

export interface Span {
  from_epoch: number;
  to_epoch: number;
  kind: "exclusive" | "shared";
  seats_left: number;
}

export interface ValidatorDetail extends Validator {
  payout_wallet: string;
  availability: Span[];
}

export interface Payment {
  solana_pay_url: string;
  amount_sol: string;
  payout_lamports: number;
  fee_lamports: number;
  memo: string;
  expires_at: string;
}

export interface Extension {
  id: string;
  status: string;
  epoch_from: number;
  epoch_to: number;
  payment: Payment | null;
}

export interface Lease {
  public_id: string;
  validator_id: string;
  mode: string;
  state: "pending_payment" | "active" | "completed" | "expired" | "revoked";
  epoch_start: number;
  epoch_end: number;
  epoch_count: number;
  total_sol: string;
  payment: Payment | null;
  created_at: string;
  activated_at: string | null;
  ended_at: string | null;
  end_reason: string | null;
  settled_signature: string | null;
}

export interface LeaseDetail extends Lease {
  pending_extension: Extension | null;
  signs_total: number;
}

export interface LeaseEvent {
  event: string;
  sequence: number;
  at: string;
}

export interface Epoch {
  epoch: number;
  slot_index: number;
  slots_in_epoch: number;
  estimated_end_at: string | null;
}

/** Counts events of leases that the signed-in user may see. */
export const leaseNews = signal(0);

const LOOK_MS = 3_000;
const LONGEST_PAUSE_MS = 30_000;

/** Listens to the events of the user's leases while a component can be seen. */
export function useLeaseNews(): void {
  const token = session.value?.bearer;
  const last = useRef<string | null>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (!token || !isVisible.value) return;
    let stream: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout>;
    let failures = 0;
    let left = false;
    // Something may have happened while the page was hidden.
    if (wasOpen.current) leaseNews.value++;
    wasOpen.current = true;
    const again = () => {
      stream?.close();
      if (left) return;
      failures++;
      leaseNews.value++;
      timer = setTimeout(open, Math.min(LOOK_MS * failures, LONGEST_PAUSE_MS));
    };
    const open = async () => {
      try {
        // A ticket is good for one opening: `EventSource` sends no headers.
        const { ticket } = await market<{ ticket: string }>("/v1/stream-tickets", { method: "POST" });
        if (left) return;
        stream = new EventSource(query("/v1/stream", { ticket, lastEventId: last.current }));
        stream.onopen = () => (failures = 0);
        stream.onerror = again;
        stream.addEventListener("lease", (event) => {
          last.current = (event as MessageEvent).lastEventId;
          leaseNews.value++;
        });
      } catch {
        again();
      }
    };
    void open();
    return () => {
      left = true;
      clearTimeout(timer);
      stream?.close();
    };
  }, [token, isVisible.value]);
}
