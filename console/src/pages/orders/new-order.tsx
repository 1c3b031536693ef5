// Making a recurring order, with a preview of what it would do.
import { useSignal } from "@preact/signals";
import { account } from "../../lib/account";
import { fromUnits, hex, toUnits } from "../../lib/amount";
import { ask } from "../../lib/api";
import { date, price, usd } from "../../lib/format";
import { attempt } from "../../lib/notices";
import type { Preview } from "../../lib/orders";
import type { Call } from "../../lib/simulator";
import { amount, decimalsOf, symbol } from "../../lib/tokens";
import { Action, Figure, Figures, Panel } from "../../ui/parts";
import { TokenPicker } from "../../ui/token-picker";

const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const FREQUENCIES = [["PT5M", "5 minutes"], ["PT1H", "Hour"], ["P1D", "Day"], ["P1W", "Week"]] as const;
const MOST_TRADES = 1000;

export function NewOrder() {
  const sell = useSignal(USDC);
  const buy = useSignal(STRK);
  const text = useSignal("100");
  const parts = useSignal("10");
  const frequency = useSignal("PT5M");
  const preview = useSignal<Preview | null>(null);
  const units = toUnits(text.value, decimalsOf(sell.value));
  const cycles = Number(parts.value);
  const fits = !!units && Number.isInteger(cycles) && cycles >= 1 && cycles <= MOST_TRADES && sell.value !== buy.value && !!account.value;
  const body = () => {
    const part = units! / BigInt(cycles);
    return {
      traderAddress: account.value!.address,
      sellTokenAddress: sell.value,
      buyTokenAddress: buy.value,
      sellAmount: hex(part * BigInt(cycles)),
      sellAmountPerCycle: hex(part),
      frequency: frequency.value,
      pricingStrategy: {},
    };
  };
  const look = () =>
    attempt(async () => {
      preview.value = await ask<Preview>("/dca/v3/orders/preview", { body: body() });
    });
  const place = () =>
    attempt(async () => {
      const { calls } = await ask<{ calls: Call[] }>("/dca/v3/orders", { body: body() });
      await account.value!.execute(calls);
    }, "Order sent. It will be in one of the next blocks.");
  return (
    <Panel title="New order">
      <div class="fields new-order">
        <div class="field"><span>Sell</span><TokenPicker label="Sell" value={sell.value} onPick={(next) => (sell.value = next)} /></div>
        <div class="field"><span>Buy</span><TokenPicker label="Buy" value={buy.value} onPick={(next) => (buy.value = next)} /></div>
        <label class="field"><span>Total amount</span><input inputMode="decimal" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} /></label>
        <label class="field"><span>Number of trades</span><input type="number" min={1} max={MOST_TRADES} value={parts.value} onInput={(event) => (parts.value = event.currentTarget.value)} /></label>
        <label class="field">
          <span>Every</span>
          <select value={frequency.value} onChange={(event) => (frequency.value = event.currentTarget.value)}>
            {FREQUENCIES.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </select>
        </label>
        <Action disabled={!fits} run={look}>Preview</Action>
        <Action class="primary" disabled={!fits} run={place}>Place order</Action>
      </div>
      {preview.value && <Previewed it={preview.value} sell={sell.value} buy={buy.value} />}
    </Panel>
  );
}

const Previewed = ({ it, sell, buy }: { it: Preview; sell: string; buy: string }) => (
  <div class="preview">
    <Figures>
      <Figure label="One trade buys now" hint={it.cycle ? usd(it.cycle.buyAmountInUsd) : "no route"}>{it.cycle ? amount(it.cycle.buyAmount, buy) : "–"}</Figure>
      <Figure label="Ends">{date(it.endDate)}</Figure>
      <Figure label="Would have bought" hint={it.replay.from ? `in ${it.replay.executedTradesCount} trades since ${date(it.replay.from)}` : "no history"}>{amount(it.replay.amountBought, buy)}</Figure>
      <Figure label="At an average of">{averagePrice(it, sell, buy)}</Figure>
    </Figures>
  </div>
);

function averagePrice({ replay }: Preview, sell: string, buy: string): string {
  const whole = (units: string, token: string) => Number(fromUnits(BigInt(units), decimalsOf(token)));
  const bought = whole(replay.amountBought, buy);
  return bought ? `${price(whole(replay.amountSold, sell) / bought).slice(1)} ${symbol(sell)}` : "–";
}
