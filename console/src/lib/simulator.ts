// The service's own simulated networks: who has accounts there, and what they do.
import { signal } from "@preact/signals";
import { ask, Failure } from "./api";
import { isSimulated } from "./settings";

export interface Balance {
  symbol: string;
  address: string;
  decimals: number;
  amount: string;
}

export interface SimulatedNetworks {
  accounts: { address: string; balances: Balance[] }[];
  wallets: { address: string; lamports: string }[];
  bearers: { token: string; roles: string[] }[];
  sponsorKey: string;
  /** Somebody whose orders can be looked at. */
  saver: string;
}

export interface Call {
  contractAddress: string;
  entrypoint: string;
  calldata: string[];
}

export const simulated = signal<SimulatedNetworks | null>(null);

export async function readSimulated(): Promise<void> {
  if (isSimulated) simulated.value = await ask<SimulatedNetworks>("/simulator/accounts");
}

/** Steers a node; what it refuses is a failure. */
export async function steer<T = unknown>(network: "starknet" | "solana", method: string, params: Record<string, unknown> = {}): Promise<T> {
  const answer = await ask<{ result?: T; error?: { message: string; data?: unknown } }>("/simulator/rpc", { body: { network, method, params } });
  if (answer.error) {
    const more = answer.error.data ? ` (${JSON.stringify(answer.error.data)})` : "";
    throw new Failure(400, answer.error.message + more);
  }
  return answer.result as T;
}

export const execute = (account: string, calls: Call[]): Promise<{ transactionHash: string }> =>
  ask("/simulator/execute", { body: { account, calls } });

/** Has a simulated wallet pay what a memo stands for. */
export async function pay(memo: string, wallet: string): Promise<{ signature: string }> {
  const { transaction } = await ask<{ transaction: string }>(`/v1/chain-pay/${memo}`, { body: { account: wallet } });
  return ask("/simulator/pay", { body: { transaction } });
}
