// Signing in to the lease market: demo identities where nothing is worth anything, or
// a wallet of the browser.
import { useEffect } from "preact/hooks";
import { attempt } from "../lib/notices";
import { resume, session, signInByWallet, signInWith, signOut } from "../lib/session";
import { readSimulated, simulated } from "../lib/simulator";
import { isSimulated } from "../lib/settings";
import { findSolanaWallets, solanaWallets } from "../lib/solana-wallet";
import { Action, Tag } from "./parts";

/** Prepares what can be signed in with. */
export function useSession(): void {
  useEffect(() => {
    findSolanaWallets();
    void resume();
    if (isSimulated && !simulated.peek()) void attempt(readSimulated);
  }, []);
}

export function SignIn({ why }: { why?: string }) {
  const bearers = simulated.value?.bearers ?? [];
  const wallets = solanaWallets.value;
  return (
    <div class="sign-in">
      {why && <p class="soft">{why}</p>}
      <div class="sign-in-ways">
        {bearers.map((one) => (
          <Action key={one.token} run={() => attempt(() => signInWith(one.token))}>
            Demo {one.roles.join(", ")}
          </Action>
        ))}
        {wallets.map((wallet) => (
          <Action key={wallet.name} run={() => attempt(() => signInByWallet(wallet))}>
            {wallet.name}
          </Action>
        ))}
      </div>
      {!bearers.length && !wallets.length && <p class="soft">No Solana wallet found in this browser. Install one that supports the Wallet Standard and reload the page.</p>}
    </div>
  );
}

export function SignedIn() {
  const it = session.value;
  if (!it) return null;
  return (
    <>
      <Tag>{it.user.display_name ?? it.user.address ?? "signed in"}</Tag>
      <button type="button" class="button small" onClick={signOut}>
        Sign out
      </button>
    </>
  );
}
