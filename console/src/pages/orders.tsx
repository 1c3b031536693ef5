// Recurring orders of a trader: what they bought, what is ahead, and a preview of more.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { account } from "../lib/account";
import { fromUnits, hex, shown, toUnits } from "../lib/amount";
import { ask, query } from "../lib/api";
import { count, date, period, price, usd } from "../lib/format";
import { ordersChanged, pace, rewritten, useOrdersOf } from "../lib/live";
import { useLoaded } from "../lib/load";
import { say } from "../lib/notices";
import { note, parameter } from "../lib/router";
import { readSimulated, simulated, type Call } from "../lib/simulator";
import { isSimulated } from "../lib/settings";
import { needTokens, symbol, tokens } from "../lib/tokens";
import { AccountPicker } from "../ui/account-picker";
import { Action, Address, Empty, Figure, Figures, Page, Panel, Skeleton, Tag, Trouble } from "../ui/parts";
import { TokenPicker } from "../ui/token-picker";
import "../style/orders.css";

interface Trade {
  sellAmount: string;
  buyAmount?: string | null;
  status: string;
  expectedTradeDate?: string;
  actualTradeDate?: string | null;
}

interface Order {
  orderAddress: string;
  traderAddress: string;
  status: "INDEXING" | "ACTIVE" | "CLOSED";
  sellTokenAddress: string;
  buyTokenAddress: string;
  sellAmount: string;
  amountSold: string;
  amountBought: string;
  frequency: string;
  iterations: number;
  executedTradesCount: number;
  pendingTradesCount: number;
  cancelledTradesCount: number;
  startDate: string;
  endDate: string;
  trades: Trade[];
}

interface Preview {
  iterations: number;
  endDate: string;
  cycle?: { buyAmount: string; buyAmountInUsd: number; priceImpact: number } | null;
  replay: { executedTradesCount: number; averageAmountBought: string; amountBought: string; amountSold: string; from: string | null; to: string };
}

const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const FREQUENCIES = [["PT5M", "5 minutes"], ["PT1H", "Hour"], ["P1D", "Day"], ["P1W", "Week"]] as const;
const decimals = (token: string): number => tokens.value.get(token)?.decimals ?? 18;
const amount = (units: string, token: string): string => `${shown(BigInt(units), decimals(token))} ${symbol(token)}`;

export function Orders() {
  useEffect(() => {
    needTokens();
    if (isSimulated && !simulated.peek()) void readSimulated().catch(() => {});
  }, []);
  const trader = parameter("trader") ?? account.value?.address ?? null;
  useOrdersOf(trader);
  const path = trader && query("/dca/v3/orders", { traderAddress: trader, size: 20, page: 0 });
  const { data, failure, again } = useLoaded(path, (signal) => ask<{ content: Order[]; totalElements: number }>(path!, { signal }), ordersChanged, rewritten, pace);
  const saver = simulated.value?.saver;
  return (
    <Page title="Orders" lead="Orders that buy again and again, executed by this service's keeper.">
      <div class="stack">
        <Panel title="Whose orders?">
          <div class="fields">
            <AccountPicker />
            <label class="field">
              <span>or any trader's address</span>
              <input class="mono" placeholder="0x…" value={parameter("trader") ?? ""} onChange={(event) => note({ trader: event.currentTarget.value.trim() })} />
            </label>
            {saver && (
              <button type="button" class="button" onClick={() => note({ trader: saver })}>
                A simulated saver
              </button>
            )}
          </div>
        </Panel>
        {failure && !data && <Trouble failure={failure} again={again} />}
        {!trader && (
          <Panel>
            <Empty title="Nobody is chosen">Choose an account, or write a trader's address.</Empty>
          </Panel>
        )}
        {trader && !data && !failure && <Panel class="order-wait"><Skeleton class="block" /></Panel>}
        {data && !data.content.length && (
          <Panel>
            <Empty title="No orders yet">This trader has none. The form below makes one.</Empty>
          </Panel>
        )}
        {data?.content.map((order) => (
          <OneOrder key={order.orderAddress} order={order} />
        ))}
        <NewOrder />
      </div>
    </Page>
  );
}

const KINDS = { INDEXING: "warn", ACTIVE: "good", CLOSED: "" };
const STATES: Record<string, string> = { SUCCEEDED: "done", PENDING: "ahead", CANCELLED: "off" };

function OneOrder({ order }: { order: Order }) {
  const cancel = async () => {
    try {
      const { calls } = await ask<{ calls: Call[] }>(`/dca/v3/orders/${order.orderAddress}/cancel`, { body: {} });
      await account.value!.execute(calls);
      say("Cancelled: it is in one of the next blocks");
    } catch (error) {
      say((error as Error).message, "wrong", 9_000);
    }
  };
  return (
    <Panel
      title={
        <>
          {symbol(order.sellTokenAddress)} for {symbol(order.buyTokenAddress)} <Tag kind={KINDS[order.status]}>{order.status.toLowerCase()}</Tag>
        </>
      }
      aside={<Address value={order.orderAddress} />}
    >
      <Figures>
        <Figure label="Sold" hint={`of ${amount(order.sellAmount, order.sellTokenAddress)}`}>{amount(order.amountSold, order.sellTokenAddress)}</Figure>
        <Figure label="Bought">{amount(order.amountBought, order.buyTokenAddress)}</Figure>
        <Figure label="Executed" hint={`${count(order.pendingTradesCount)} ahead, ${count(order.cancelledTradesCount)} off`}>
          {count(order.executedTradesCount)} of {count(order.iterations)}
        </Figure>
        <Figure label="Every" hint={`until ${date(order.endDate)}`}>{period(order.frequency)}</Figure>
      </Figures>
      <ol class="cycles" aria-label="Trades of the order">
        {order.trades.slice(0, 120).map((trade, at) => (
          <li key={at} class={STATES[trade.status] ?? ""} title={`${trade.status.toLowerCase()}, ${date(trade.actualTradeDate ?? trade.expectedTradeDate)}${trade.buyAmount ? `: ${amount(trade.buyAmount, order.buyTokenAddress)}` : ""}`} />
        ))}
      </ol>
      {order.status === "ACTIVE" && account.value?.address === order.traderAddress && <Action class="small" run={cancel}>Cancel the order</Action>}
    </Panel>
  );
}

function NewOrder() {
  const sell = useSignal(USDC);
  const buy = useSignal(STRK);
  const text = useSignal("100");
  const parts = useSignal("10");
  const frequency = useSignal("PT5M");
  const preview = useSignal<Preview | null>(null);
  const units = toUnits(text.value, decimals(sell.value));
  const cycles = Number(parts.value);
  const fits = !!units && Number.isInteger(cycles) && cycles >= 1 && cycles <= 1000 && sell.value !== buy.value && !!account.value;
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
  const attempt = async (deed: () => Promise<void>) => {
    try {
      await deed();
    } catch (error) {
      say((error as Error).message, "wrong", 9_000);
    }
  };
  const it = preview.value;
  return (
    <Panel title="A new order">
      <div class="fields new-order">
        <div class="field"><span>Sell</span><TokenPicker label="Sell" value={sell.value} onPick={(next) => (sell.value = next)} /></div>
        <div class="field"><span>Buy</span><TokenPicker label="Buy" value={buy.value} onPick={(next) => (buy.value = next)} /></div>
        <label class="field"><span>Amount in all</span><input inputMode="decimal" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} /></label>
        <label class="field"><span>In parts</span><input type="number" min={1} max={1000} value={parts.value} onInput={(event) => (parts.value = event.currentTarget.value)} /></label>
        <label class="field">
          <span>Every</span>
          <select value={frequency.value} onChange={(event) => (frequency.value = event.currentTarget.value)}>
            {FREQUENCIES.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </select>
        </label>
        <Action disabled={!fits} run={() => attempt(async () => { preview.value = await ask<Preview>("/dca/v3/orders/preview", { body: body() }); })}>Preview</Action>
        <Action
          class="primary"
          disabled={!fits}
          run={() =>
            attempt(async () => {
              const { calls } = await ask<{ calls: Call[] }>("/dca/v3/orders", { body: body() });
              await account.value!.execute(calls);
              say("Ordered: it is in one of the next blocks");
            })
          }
        >
          Order
        </Action>
      </div>
      {it && (
        <div class="preview">
          <Figures>
            <Figure label="A part buys now" hint={it.cycle ? usd(it.cycle.buyAmountInUsd) : "no way to trade it"}>{it.cycle ? amount(it.cycle.buyAmount, buy.value) : "–"}</Figure>
            <Figure label="Ends">{date(it.endDate)}</Figure>
            <Figure label="In the past it had bought" hint={it.replay.from ? `${it.replay.executedTradesCount} parts since ${date(it.replay.from)}` : "no history"}>{amount(it.replay.amountBought, buy.value)}</Figure>
            <Figure label="At a rate of">{rate(it, sell.value, buy.value)}</Figure>
          </Figures>
        </div>
      )}
    </Panel>
  );
}

function rate({ replay }: Preview, sell: string, buy: string): string {
  const at = (units: string, token: string) => Number(fromUnits(BigInt(units), decimals(token)));
  const bought = at(replay.amountBought, buy);
  return bought ? `${price(at(replay.amountSold, sell) / bought).slice(1)} ${symbol(sell)}` : "–";
}
