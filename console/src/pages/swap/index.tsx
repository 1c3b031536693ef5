// Trading one token for another: what it costs, the way it takes, and doing it.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { account } from "../../lib/account";
import { hex, shown, toUnits } from "../../lib/amount";
import { ask, query } from "../../lib/api";
import { rewritten } from "../../lib/live";
import { useLoaded, useSettled } from "../../lib/load";
import type { Quote } from "../../lib/quote";
import { note, parameter } from "../../lib/router";
import { needTokens, tokens } from "../../lib/tokens";
import { useEvery } from "../../lib/visibility";
import { AccountPicker } from "../../ui/account-picker";
import { Icon, icons } from "../../ui/icons";
import { Choice, Empty, Page, Panel, Skeleton, Trouble } from "../../ui/parts";
import { Alternatives } from "./alternatives";
import { Execute } from "./execute";
import { Countdown, Route } from "./route";
import { Side } from "./side";
import { Terms } from "./terms";
import "../../style/swap.css";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
/** Of the side that follows from the other; the field has no room for all of them. */
const DIGITS = 8;
const REFRESH_MS = 12_000;
const SLIPPAGES = [["0.001", "0.1%"], ["0.005", "0.5%"], ["0.01", "1%"]] as const;

/** What is asked for, as the address of the page says it. */
function useOrder() {
  const sell = parameter("sell") ?? ETH;
  const buy = parameter("buy") ?? (sell === USDC ? ETH : USDC);
  const side: "sell" | "buy" = parameter("side") === "buy" ? "buy" : "sell";
  const text = parameter("amount") ?? (side === "sell" ? "10" : "");
  const decimals = tokens.value.get(side === "sell" ? sell : buy)?.decimals;
  const units = decimals === undefined ? null : toUnits(text, decimals);
  const wanted = { sellTokenAddress: sell, buyTokenAddress: buy, [side === "sell" ? "sellAmount" : "buyAmount"]: hex(units ?? 0n) };
  const path = units && sell !== buy ? query("/swap/v3/quotes", { ...wanted, takerAddress: account.value?.address, size: 4 }) : null;
  // Until the tokens are there, nobody knows how many units the amount is.
  const isEarly = !!text && !tokens.value.size;
  return { sell, buy, side, text, path, isEarly };
}

export function Swap() {
  useEffect(needTokens, []);
  const { sell, buy, side, text, path, isEarly } = useOrder();
  const slippage = useSignal<string>("0.005");
  const which = useSignal(0);
  const executed = useSignal(0);
  const settled = useSettled(path);
  const { data: quotes, failure, again } = useLoaded(settled, (signal) => ask<Quote[]>(settled!, { signal }), useEvery(REFRESH_MS), executed, rewritten);
  useEffect(() => {
    which.value = 0;
  }, [settled]);
  const chosen = Math.min(which.value, (quotes?.length ?? 1) - 1);
  const quote = quotes?.[chosen];
  const isWaiting = isEarly || (path !== null && !quotes && !failure);
  const told = (token: string, units: string | undefined) => {
    const decimals = tokens.value.get(token)?.decimals;
    return units && decimals !== undefined ? shown(BigInt(units), decimals, DIGITS).replaceAll(",", "") : "";
  };
  return (
    <Page title="Swap" lead="The best route through every pool, exact to the unit at the newest block.">
      <div class="swap">
        <div class="stack">
          <Panel class="swap-form">
            <Side
              label="You sell"
              token={sell}
              value={side === "sell" ? text : told(sell, quote?.sellAmount)}
              worth={quote?.sellAmountInUsd}
              onToken={(next) => note({ sell: next, ...(next === buy ? { buy: sell } : {}) })}
              onAmount={(amount) => note({ amount, side: "sell" })}
            />
            <button type="button" class="flip" onClick={() => note({ sell: buy, buy: sell, side: side === "sell" ? "buy" : "sell" })}>
              <Icon path={icons.flip} />
              <span class="visually-hidden">Switch sides</span>
            </button>
            <Side
              label="You buy"
              token={buy}
              value={side === "buy" ? text : told(buy, quote?.buyAmount)}
              worth={quote?.buyAmountInUsd}
              onToken={(next) => note({ buy: next, ...(next === sell ? { sell: buy } : {}) })}
              onAmount={(amount) => note({ amount, side: "buy" })}
            />
            <div class="swap-settings">
              <span class="soft">Slippage tolerance</span>
              <Choice label="Slippage tolerance" value={slippage.value} options={SLIPPAGES} onChange={(next) => (slippage.value = next)} />
            </div>
            <AccountPicker />
            <Execute quote={quote} isWaiting={isWaiting} slippage={Number(slippage.value)} onDone={() => executed.value++} />
          </Panel>
          <Terms quote={quote} isWaiting={isWaiting} />
        </div>
        <div class="stack">
          <Panel title="Route" aside={quote && <Countdown expiry={quote.expiry} />}>
            {failure && !quotes ? (
              <Trouble failure={failure} again={again} />
            ) : quote ? (
              <Route quote={quote} />
            ) : quotes ? (
              <Empty title="No route">There is not enough liquidity for this order. Try a smaller amount or another token.</Empty>
            ) : isWaiting ? (
              <div class="sankey-wait">
                <Skeleton class="block" />
              </div>
            ) : (
              <Empty title="Nothing to quote yet">Choose two tokens and enter an amount on either side.</Empty>
            )}
          </Panel>
          {quotes && quotes.length > 1 && <Alternatives quotes={quotes} chosen={chosen} side={side} onChoose={(at) => (which.value = at)} />}
        </div>
      </div>
    </Page>
  );
}
