// A payment: its code for wallets on phones, or a wallet that is here, and how long
// there is time.
import { useSignal } from "@preact/signals";
import { encode } from "uqr";
import { ask } from "../lib/api";
import { ago, short, sol } from "../lib/format";
import type { Payment as Due } from "../lib/leases";
import { now } from "../lib/live";
import { attempt, copy } from "../lib/notices";
import { session } from "../lib/session";
import { pay, simulated } from "../lib/simulator";
import { connected, signAndSend } from "../lib/solana-wallet";
import { Action } from "./parts";

function Code({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg class="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="Solana Pay code of this payment">
      <path d={path} />
    </svg>
  );
}

export function Payment({ due, onPaid }: { due: Due; onPaid: () => void }) {
  const wallets = simulated.value?.wallets ?? [];
  const payer = useSignal("");
  const left = (Date.parse(due.expires_at) - now.value) / 1000;
  const settle = (deed: () => Promise<unknown>) =>
    attempt(async () => {
      await deed();
      onPaid();
    }, "Paid: the lease begins when the payment is final");
  const wallet = session.value?.wallet;
  const byWallet = async () => {
    const account = await connected(wallet!);
    const { transaction } = await ask<{ transaction: string }>(`/v1/chain-pay/${due.memo}`, { body: { account: account.address } });
    await signAndSend(wallet!, account, transaction);
  };
  const chosen = payer.value || wallets[0]?.address || "";
  return (
    <div class="payment">
      <Code text={due.solana_pay_url} />
      <div class="payment-words">
        <p class="payment-amount">{due.amount_sol} SOL</p>
        <p class="soft">
          {sol(due.payout_lamports)} to the validator, {sol(due.fee_lamports)} to the market.
        </p>
        <p class={left < 60 ? "down" : "soft"}>{left > 0 ? `${ago(left)} left to pay` : "The time to pay has run out"}</p>
        {wallets.length > 0 && (
          <div class="fields">
            <label class="field">
              <span>Simulated wallet</span>
              <select value={chosen} onChange={(event) => (payer.value = event.currentTarget.value)}>
                {wallets.map((one, at) => (
                  <option key={one.address} value={one.address}>
                    {at + 1}. {short(one.address)}
                  </option>
                ))}
              </select>
            </label>
            <Action class="primary" disabled={left <= 0} run={() => settle(() => pay(due.memo, chosen))}>
              Pay
            </Action>
          </div>
        )}
        {wallet && (
          <Action class="primary" disabled={left <= 0} run={() => settle(byWallet)}>
            Pay with {wallet.name}
          </Action>
        )}
        <button type="button" class="button small" onClick={() => void copy(due.solana_pay_url)}>
          Copy payment link
        </button>
      </div>
    </div>
  );
}
