// Who executes: an account of the simulated network, or an injected wallet.
import { signal } from "@preact/signals";
import { execute, type Call } from "./simulator";
import { connect, injectedWallets, send } from "./starknet-wallet";

export interface Account {
  address: string;
  name: string;
  execute: (calls: Call[]) => Promise<{ transactionHash: string }>;
}

export const account = signal<Account | null>(null);

export function useSimulatedAccount(address: string, name: string): void {
  account.value = { address, name, execute: (calls) => execute(address, calls) };
}

export async function useWallet(name: string): Promise<void> {
  const found = injectedWallets().find((one) => one.name === name);
  if (!found) throw new Error("The wallet is not there any more");
  const address = await connect(found.wallet);
  account.value = { address, name, execute: (calls) => send(found.wallet, calls) };
}
