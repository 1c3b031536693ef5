// Who is signed in to the lease market, for as long as the tab is open.
import { signal } from "@preact/signals";
import { ask, Failure } from "./api";
import { connected, signText, type SolanaWallet } from "./solana-wallet";

export interface User {
  public_id: string;
  display_name: string | null;
  address: string | null;
  roles: string[];
}

interface Session {
  bearer: string;
  user: User;
  wallet?: SolanaWallet;
}

const KEPT = "stoa-bearer";

export const session = signal<Session | null>(null);
export const bearer = (): string | undefined => session.value?.bearer;
export const hasRole = (role: string): boolean => !!session.value?.user.roles.includes(role);

/** What the lease market answers, without its envelope. */
export async function market<T>(path: string, asking: Parameters<typeof ask>[1] = {}): Promise<T> {
  try {
    return (await ask<{ data: T }>(path, { bearer: bearer(), ...asking })).data;
  } catch (error) {
    // A session that is over.
    if (error instanceof Failure && error.status === 401) signOut();
    throw error;
  }
}

export async function signInWith(token: string, wallet?: SolanaWallet): Promise<void> {
  const user = await market<User>("/v1/me", { bearer: token });
  session.value = { bearer: token, user, wallet };
  sessionStorage.setItem(KEPT, token);
}

export function signOut(): void {
  session.value = null;
  sessionStorage.removeItem(KEPT);
}

let resumed: Promise<void> | null = null;

/** Goes on with the session of this tab, if it had one. */
export function resume(): Promise<void> {
  const token = sessionStorage.getItem(KEPT);
  resumed ??= token && !session.peek() ? signInWith(token).catch(signOut) : Promise.resolve();
  return resumed;
}

/** Sign-In-With-Solana: the wallet signs the text that the service gives. */
export async function signInByWallet(wallet: SolanaWallet): Promise<void> {
  const account = await connected(wallet);
  const challenge = await market<{ message: string; nonce: string }>("/v1/auth/challenge", { body: { address: account.address } });
  const signature = await signText(wallet, account, challenge.message);
  const body = { address: account.address, nonce: challenge.nonce, signature };
  const made = await market<{ session_token: string; user: User | null }>("/v1/auth/session", { body });
  if (!made.user) await market("/v1/users", { bearer: made.session_token, body: { display_name: `${account.address.slice(0, 4)}…${account.address.slice(-4)}` } });
  await signInWith(made.session_token, wallet);
}

/** An id that can be sent again without anything being done twice. */
export function ulid(): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  let time = Date.now();
  let text = "";
  for (let place = 0; place < 10; place++) {
    text = letters[time % 32] + text;
    time = Math.floor(time / 32);
  }
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) text += letters[byte % 32];
  return text;
}
