// Building the chosen quote and having it executed.
import { useSignal } from "@preact/signals";
import { account } from "../../lib/account";
import { ask } from "../../lib/api";
import { attempt, say } from "../../lib/notices";
import type { Quote } from "../../lib/quote";
import { readSimulated, type Call } from "../../lib/simulator";
import { symbol } from "../../lib/tokens";
import { Action, Address } from "../../ui/parts";

/** By then the swap is in a block, and balances have changed. */
const INCLUDED_MS = 3_000;

interface ExecuteProps {
  quote: Quote | undefined;
  isWaiting: boolean;
  slippage: number;
  onDone: () => void;
}

export function Execute({ quote, isWaiting, slippage, onDone }: ExecuteProps) {
  const sent = useSignal<string | null>(null);
  const who = account.value;
  const run = async () => {
    if (!quote || !who) return;
    await attempt(async () => {
      const { calls } = await ask<{ calls: Call[] }>("/swap/v3/build", { body: { quoteId: quote.quoteId, takerAddress: who.address, slippage, includeApprove: true } });
      const { transactionHash } = await who.execute(calls);
      sent.value = transactionHash;
      say(`Sent by ${who.name}. It will be in one of the next blocks.`);
      setTimeout(() => void readSimulated().catch(() => {}), INCLUDED_MS);
    });
    onDone();
  };
  const words = !who ? "Choose an account" : quote ? `Swap ${symbol(quote.sellTokenAddress)} for ${symbol(quote.buyTokenAddress)}` : isWaiting ? "Finding the best route…" : "Enter an amount";
  return (
    <>
      <Action run={run} class="primary wide" disabled={!quote || !who}>
        {words}
      </Action>
      {sent.value && (
        <p class="sent">
          Sent as <Address value={sent.value} head={10} tail={6} />
        </p>
      )}
    </>
  );
}
