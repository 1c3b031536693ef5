// Recurring orders of a trader: what they bought, what is ahead, and making more.
import { useEffect } from "preact/hooks";
import { account } from "../../lib/account";
import { ask, query } from "../../lib/api";
import { ordersChanged, pace, rewritten, useOrdersOf } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import type { Order } from "../../lib/orders";
import { note, parameter } from "../../lib/router";
import { readSimulated, simulated } from "../../lib/simulator";
import { isSimulated } from "../../lib/settings";
import { needTokens } from "../../lib/tokens";
import { AccountPicker } from "../../ui/account-picker";
import { Empty, Page, Panel, Skeleton, Trouble } from "../../ui/parts";
import { NewOrder } from "./new-order";
import { OneOrder } from "./order";
import "../../style/orders.css";

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
    <Page title="Orders" lead="Recurring orders, which this service executes trade by trade.">
      <div class="stack">
        <Panel title="Trader">
          <div class="fields">
            <AccountPicker />
            <label class="field">
              <span>Or any address</span>
              <input class="mono" placeholder="0x…" value={parameter("trader") ?? ""} onChange={(event) => note({ trader: event.currentTarget.value.trim() })} />
            </label>
            {saver && (
              <button type="button" class="button" onClick={() => note({ trader: saver })}>
                Show a simulated saver
              </button>
            )}
          </div>
        </Panel>
        {failure && !data && <Trouble failure={failure} again={again} />}
        {!trader && (
          <Panel>
            <Empty title="No trader chosen">Choose an account, or enter any trader's address.</Empty>
          </Panel>
        )}
        {trader && !data && !failure && <Panel class="order-wait"><Skeleton class="block" /></Panel>}
        {data && !data.content.length && (
          <Panel>
            <Empty title="No orders yet">Place one with the form below.</Empty>
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
