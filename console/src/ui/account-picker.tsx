// Who executes what is built: a simulated account, or a wallet of the browser.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { account, useSimulatedAccount, useWallet } from "../lib/account";
import { short } from "../lib/format";
import { say } from "../lib/notices";
import { readSimulated, simulated } from "../lib/simulator";
import { injectedWallets } from "../lib/starknet-wallet";
import { isSimulated } from "../lib/settings";

export function AccountPicker() {
  const wallets = useSignal<string[]>([]);
  useEffect(() => {
    wallets.value = injectedWallets().map((one) => one.name);
    if (!isSimulated || simulated.value) return;
    readSimulated().then(
      () => {
        const first = simulated.value?.accounts[0];
        if (first && !account.peek()) useSimulatedAccount(first.address, "account 1");
      },
      (error: Error) => say(error.message, "wrong"),
    );
  }, []);
  const accounts = simulated.value?.accounts ?? [];
  if (!isSimulated && !wallets.value.length)
    return <p class="soft">No Starknet wallet found in this browser. Quotes work without one; trading needs it.</p>;
  const choose = (value: string) => {
    const at = accounts.findIndex((one) => one.address === value);
    if (at >= 0) useSimulatedAccount(value, `account ${at + 1}`);
    else if (value) useWallet(value).catch((error: Error) => say(error.message, "wrong"));
    else account.value = null;
  };
  const who = account.value;
  return (
    <label class="field">
      <span>Account</span>
      <select value={who ? (wallets.value.includes(who.name) ? who.name : who.address) : ""} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">None</option>
        {accounts.map((one, at) => (
          <option key={one.address} value={one.address}>
            Simulated account {at + 1} ({short(one.address)})
          </option>
        ))}
        {wallets.value.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
