// One side of an order: a token, how much of it, and what that is worth.
import { account } from "../../lib/account";
import { shown } from "../../lib/amount";
import { usd } from "../../lib/format";
import { simulated } from "../../lib/simulator";
import { symbol } from "../../lib/tokens";
import { TokenPicker } from "../../ui/token-picker";

interface SideProps {
  label: string;
  token: string;
  value: string;
  worth: number | undefined;
  onToken: (address: string) => void;
  onAmount: (text: string) => void;
}

/** What the chosen simulated account has of a token. */
function available(token: string): string | null {
  const mine = simulated.value?.accounts.find((one) => one.address === account.value?.address);
  const balance = mine?.balances.find((one) => one.address === token);
  return balance ? shown(BigInt(balance.amount), balance.decimals, 7) : null;
}

const digitsOf = (text: string): string => text.replace(",", ".").replace(/[^\d.]/g, "");

export function Side({ label, token, value, worth, onToken, onAmount }: SideProps) {
  const balance = available(token);
  return (
    <div class="side-box">
      <div class="side-head">
        <span>{label}</span>
        {balance && <span>{balance} available</span>}
      </div>
      <div class="side-row">
        <input
          inputMode="decimal"
          autoComplete="off"
          placeholder="0"
          aria-label={`${label}, amount of ${symbol(token)}`}
          value={value}
          onInput={(event) => onAmount(digitsOf(event.currentTarget.value))}
        />
        <TokenPicker label={label} value={token} onPick={onToken} />
      </div>
      <div class="side-worth">{worth ? usd(worth) : " "}</div>
    </div>
  );
}
