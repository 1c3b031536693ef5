// Wallets by the wallet standard: they announce themselves to the page, and sign what
// their owner agrees to. Keys never come here.
import { signal } from "@preact/signals";

interface Account {
  address: string;
  chains: readonly string[];
}

export interface SolanaWallet {
  name: string;
  chains: readonly string[];
  accounts: readonly Account[];
  features: Record<string, any>;
}

export const solanaWallets = signal<SolanaWallet[]>([]);

const register = (...wallets: SolanaWallet[]): (() => void) => {
  const fitting = wallets.filter((wallet) => wallet.chains.some((chain) => chain.startsWith("solana:")) && wallet.features["standard:connect"]);
  solanaWallets.value = [...solanaWallets.value, ...fitting];
  return () => (solanaWallets.value = solanaWallets.value.filter((wallet) => !fitting.includes(wallet)));
};

let listening = false;

export function findSolanaWallets(): void {
  if (listening) return;
  listening = true;
  addEventListener("wallet-standard:register-wallet", (event) => (event as CustomEvent).detail({ register }));
  dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: { register } }));
}

export async function connected(wallet: SolanaWallet): Promise<Account> {
  const { accounts } = (await wallet.features["standard:connect"].connect()) as { accounts: Account[] };
  const [account] = accounts;
  if (!account) throw new Error("The wallet named no account");
  return account;
}

/** The signature of a text, in base58. */
export async function signText(wallet: SolanaWallet, account: Account, text: string): Promise<string> {
  const feature = wallet.features["solana:signMessage"];
  if (!feature) throw new Error(`${wallet.name} cannot sign texts`);
  const [signed] = (await feature.signMessage({ account, message: new TextEncoder().encode(text) })) as { signature: Uint8Array }[];
  return base58(signed!.signature);
}

/** Has a wallet sign a transaction (in base64) and send it itself. */
export async function signAndSend(wallet: SolanaWallet, account: Account, transaction: string): Promise<void> {
  const feature = wallet.features["solana:signAndSendTransaction"];
  if (!feature) throw new Error(`${wallet.name} cannot send transactions; use the code instead`);
  const bytes = Uint8Array.from(atob(transaction), (letter) => letter.charCodeAt(0));
  await feature.signAndSendTransaction({ account, transaction: bytes, chain: account.chains[0] });
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

export function base58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}
