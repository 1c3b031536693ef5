// One recurring order: what it sold and bought, and every trade of it.
import { account } from "../../lib/account";
import { ask } from "../../lib/api";
import { count, date, period } from "../../lib/format";
import { attempt } from "../../lib/notices";
import type { Cycle, Order } from "../../lib/orders";
import type { Call } from "../../lib/simulator";
import { amount, symbol } from "../../lib/tokens";
import { Action, Address, Figure, Figures, Panel, Tag } from "../../ui/parts";

const KINDS = { INDEXING: "warn", ACTIVE: "good", CLOSED: "" };
const STATES: Record<string, string> = { SUCCEEDED: "done", PENDING: "ahead", CANCELLED: "off" };
const MOST_CYCLES = 120;

function cycleWords(cycle: Cycle, token: string): string {
  const bought = cycle.buyAmount ? `: ${amount(cycle.buyAmount, token)}` : "";
  return `${cycle.status.toLowerCase()}, ${date(cycle.actualTradeDate ?? cycle.expectedTradeDate)}${bought}`;
}

export function OneOrder({ order }: { order: Order }) {
  const { sellTokenAddress: sell, buyTokenAddress: buy } = order;
  const cancel = () =>
    attempt(async () => {
      const { calls } = await ask<{ calls: Call[] }>(`/dca/v3/orders/${order.orderAddress}/cancel`, { body: {} });
      await account.value!.execute(calls);
    }, "Cancellation sent. It will be in one of the next blocks.");
  return (
    <Panel
      title={
        <>
          {symbol(sell)} → {symbol(buy)} <Tag kind={KINDS[order.status]}>{order.status.toLowerCase()}</Tag>
        </>
      }
      aside={<Address value={order.orderAddress} />}
    >
      <Figures>
        <Figure label="Sold" hint={`of ${amount(order.sellAmount, sell)}`}>{amount(order.amountSold, sell)}</Figure>
        <Figure label="Bought">{amount(order.amountBought, buy)}</Figure>
        <Figure label="Trades" hint={`${count(order.pendingTradesCount)} pending, ${count(order.cancelledTradesCount)} cancelled`}>
          {count(order.executedTradesCount)} of {count(order.iterations)}
        </Figure>
        <Figure label="Every" hint={`until ${date(order.endDate)}`}>{period(order.frequency)}</Figure>
      </Figures>
      <ol class="cycles" aria-label="Trades of the order">
        {order.trades.slice(0, MOST_CYCLES).map((cycle, at) => (
          <li key={at} class={STATES[cycle.status] ?? ""} title={cycleWords(cycle, buy)}>
            <span class="visually-hidden">{cycleWords(cycle, buy)}</span>
          </li>
        ))}
      </ol>
      {order.status === "ACTIVE" && account.value?.address === order.traderAddress && <Action class="small" run={cancel}>Cancel order</Action>}
    </Panel>
  );
}
