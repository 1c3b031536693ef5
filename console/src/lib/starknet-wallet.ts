// Wallets that a browser extension puts into the page. Calls go to them as they are
// built; they ask their owner, sign and send.
import type { Call } from "./simulator";

interface Injected {
  id?: string;
  name?: string;
  request(asked: { type: string; params?: unknown }): Promise<unknown>;
}

const isWallet = (value: unknown): value is Injected =>
  typeof value === "object" && value !== null && typeof (value as Injected).request === "function";

/** Wallets that are there now. */
export function injectedWallets(): { name: string; wallet: Injected }[] {
  const found = new Map<string, Injected>();
  for (const [key, value] of Object.entries(window)) {
    if (key.startsWith("starknet") && isWallet(value)) found.set(value.name ?? value.id ?? key, value);
  }
  return [...found].map(([name, wallet]) => ({ name, wallet }));
}

export async function connect(wallet: Injected): Promise<string> {
  const [account] = (await wallet.request({ type: "wallet_requestAccounts" })) as string[];
  if (!account) throw new Error("The wallet named no account");
  return account;
}

export async function send(wallet: Injected, calls: Call[]): Promise<{ transactionHash: string }> {
  const params = { calls: calls.map((call) => ({ contract_address: call.contractAddress, entry_point: call.entrypoint, calldata: call.calldata })) };
  const answer = (await wallet.request({ type: "wallet_addInvokeTransaction", params })) as { transaction_hash: string };
  return { transactionHash: answer.transaction_hash };
}
