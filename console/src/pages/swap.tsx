// Trading one token for another: what it costs, the way it takes, and doing it.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { account } from "../lib/account";
import { fromUnits, hex, shown, toUnits } from "../lib/amount";
import { ask, query } from "../lib/api";
import { price, usd } from "../lib/format";
import { now, rewritten } from "../lib/live";
import { useLoaded, useSettled } from "../lib/load";
import { venueColour } from "../lib/market";
import { say } from "../lib/notices";
import { flows, platformFee, type Quote } from "../lib/quote";
import { note, parameter } from "../lib/router";
import { readSimulated, simulated, type Call } from "../lib/simulator";
import { needTokens, symbol, tokens } from "../lib/tokens";
import { AccountPicker } from "../ui/account-picker";
import { Icon, icons } from "../ui/icons";
import { Action, Address, Choice, Empty, Page, Panel, Skeleton, Trouble } from "../ui/parts";
import { TokenPicker } from "../ui/token-picker";
import "../style/swap.css";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const REFRESH_S = 12;
const SLIPPAGES = [["0.001", "0.1%"], ["0.005", "0.5%"], ["0.01", "1%"]] as const;

export function Swap() {
  const sell = parameter("sell") ?? ETH;
  const buy = parameter("buy") ?? (sell === USDC ? ETH : USDC);
  const side = parameter("side") === "buy" ? "buy" : "sell";
  const text = parameter("amount") ?? (side === "sell" ? "10" : "");
  const slippage = useSignal<string>("0.005");
  const which = useSignal(0);
  const refresh = useSignal(0);
  useEffect(needTokens, []);
  const decimals = (address: string) => tokens.value.get(address)?.decimals;
  const given = side === "sell" ? sell : buy;
  const units = decimals(given) === undefined ? null : toUnits(text, decimals(given)!);
  const path = units && sell !== buy ? query("/swap/v3/quotes", { sellTokenAddress: sell, buyTokenAddress: buy, [side === "sell" ? "sellAmount" : "buyAmount"]: hex(units), takerAddress: account.value?.address, size: 4 }) : null;
  const settled = useSettled(path);
  const { data: quotes, failure, again } = useLoaded(settled, (signal) => ask<Quote[]>(settled!, { signal }), refresh, rewritten);
  useEffect(() => {
    which.value = 0;
  }, [settled]);
  const quote = quotes?.[Math.min(which.value, quotes.length - 1)];
  useEffect(() => {
    const timer = setInterval(() => refresh.value++, REFRESH_S * 1000);
    return () => clearInterval(timer);
  }, []);
  const other = (address: string, amount: string | undefined) => (quote && amount && decimals(address) !== undefined ? fromUnits(BigInt(amount), decimals(address)!) : "");
  const change = (values: Record<string, string>) => note(values);
  const flip = () => change({ sell: buy, buy: sell, side: side === "sell" ? "buy" : "sell" });
  return (
    <Page title="Swap" lead="The best way through every pool that is followed, exact to the unit on the newest block.">
      <div class="swap">
        <div class="stack">
          <Panel class="swap-form">
            <Side
              label="You sell"
              token={sell}
              value={side === "sell" ? text : other(sell, quote?.sellAmount)}
              worth={quote?.sellAmountInUsd}
              onToken={(next) => change({ sell: next, ...(next === buy ? { buy: sell } : {}) })}
              onAmount={(next) => change({ amount: next, side: "sell" })}
              balance={balanceOf(sell)}
            />
            <button type="button" class="flip" onClick={flip}>
              <Icon path={icons.flip} />
              <span class="visually-hidden">Turn around</span>
            </button>
            <Side
              label="You buy"
              token={buy}
              value={side === "buy" ? text : other(buy, quote?.buyAmount)}
              worth={quote?.buyAmountInUsd}
              onToken={(next) => change({ buy: next, ...(next === sell ? { sell: buy } : {}) })}
              onAmount={(next) => change({ amount: next, side: "buy" })}
              balance={balanceOf(buy)}
            />
            <div class="swap-settings">
              <span class="soft">Slippage</span>
              <Choice label="Slippage" value={slippage.value} options={SLIPPAGES} onChange={(next) => (slippage.value = next)} />
            </div>
            <AccountPicker />
            <Execute quote={quote} slippage={Number(slippage.value)} onDone={() => refresh.value++} />
          </Panel>
          <Terms quote={quote} waiting={!!settled && !quotes && !failure} />
        </div>
        <div class="stack">
          <Panel title="Route" aside={quote && <Countdown expiry={quote.expiry} />}>
            {failure && !quotes ? (
              <Trouble failure={failure} again={again} />
            ) : quotes && !quote ? (
              <Empty title="No way through the pools">There is no liquidity for this order. Try a smaller amount or another token.</Empty>
            ) : quote ? (
              <Route quote={quote} />
            ) : settled ? (
              <div class="sankey-wait">
                <Skeleton class="block" />
              </div>
            ) : (
              <Empty title="What should be traded?">Choose two tokens and write an amount on either side.</Empty>
            )}
          </Panel>
          {quotes && quotes.length > 1 && <Alternatives quotes={quotes} chosen={Math.min(which.value, quotes.length - 1)} side={side} onChoose={(at) => (which.value = at)} />}
        </div>
      </div>
    </Page>
  );
}

function balanceOf(token: string): string | null {
  const mine = simulated.value?.accounts.find((one) => one.address === account.value?.address);
  const balance = mine?.balances.find((one) => one.address === token);
  return balance ? shown(BigInt(balance.amount), balance.decimals, 7) : null;
}

function Side({ label, token, value, worth, balance, onToken, onAmount }: { label: string; token: string; value: string; worth: number | undefined; balance: string | null; onToken: (address: string) => void; onAmount: (text: string) => void }) {
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
          onInput={(event) => onAmount(event.currentTarget.value.replace(",", ".").replace(/[^\d.]/g, ""))}
        />
        <TokenPicker label={label} value={token} onPick={onToken} />
      </div>
      <div class="side-worth">{worth ? usd(worth) : " "}</div>
    </div>
  );
}

function Terms({ quote, waiting }: { quote: Quote | undefined; waiting: boolean }) {
  const fee = quote && platformFee(quote.fee);
  const at = (units: string, token: string) => Number(fromUnits(BigInt(units), tokens.value.get(token)?.decimals ?? 18));
  const rate = quote && at(quote.buyAmount, quote.buyTokenAddress) / at(quote.sellAmount, quote.sellTokenAddress);
  const impact = quote ? quote.priceImpact / 100 : 0;
  const rows: [string, string, string?][] = quote
    ? [
        ["Rate", `1 ${symbol(quote.sellTokenAddress)} = ${rate ? price(rate).slice(1) : "–"} ${symbol(quote.buyTokenAddress)}`],
        ["Price impact", `${impact > 0 ? "+" : impact < 0 ? "−" : ""}${Math.abs(impact).toFixed(2)}%`, impact < -1 ? "down" : undefined],
        ["At most better elsewhere", quote.gapBps === undefined ? "not known" : `${(quote.gapBps / 100).toFixed(3)}%`],
        ["Service fee", `${usd(fee!.usd)} (${(fee!.bps / 100).toFixed(2)}%)`],
        ["Network fee", quote.gasFeesInUsd === undefined ? `${shown(BigInt(quote.gasFees), 18, 4)} STRK` : `${price(quote.gasFeesInUsd)} in STRK`],
        ["May move until it expires", quote.estimatedSlippage === undefined ? "not known" : `${quote.estimatedSlippage.toFixed(3)}%`],
      ]
    : [];
  return (
    <Panel class="terms">
      <dl>
        {rows.map(([name, value, tone]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={tone}>{value}</dd>
          </div>
        ))}
        {!quote &&
          Array.from({ length: 6 }, (_, row) => (
            <div key={row}>
              <dt>{waiting ? <Skeleton /> : " "}</dt>
              <dd />
            </div>
          ))}
      </dl>
    </Panel>
  );
}

function Countdown({ expiry }: { expiry: number }) {
  const left = Math.max(0, Math.round(expiry - now.value / 1000));
  return (
    <span class="countdown" title="Until the quote expires; it is asked for anew before">
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
        <circle cx="10" cy="10" r="8" />
        <circle class="left" cx="10" cy="10" r="8" pathLength={30} stroke-dasharray={`${Math.min(left, 30)} 30`} />
      </svg>
      {left}s
    </span>
  );
}

function Route({ quote }: { quote: Quote }) {
  const Drawn = useSignal<ComponentType<{ quote: Quote }> | null>(null);
  useEffect(() => {
    void import("../ui/sankey").then((it) => (Drawn.value = it.RouteSankey));
  }, []);
  const Sankey = Drawn.value;
  const steps = flows(quote);
  const amount = (value: bigint | null, token: string) => (value === null ? symbol(token) : `${shown(value, tokens.value.get(token)?.decimals ?? 18)} ${symbol(token)}`);
  return (
    <>
      {Sankey ? <Sankey quote={quote} /> : <div class="sankey-wait"><Skeleton class="block" /></div>}
      <details class="steps">
        <summary>
          {steps.length} {steps.length === 1 ? "swap" : "swaps"}, as a table
        </summary>
        <div class="scroll" tabIndex={0} role="region" aria-label="Swaps of the route">
          <table class="table dense">
            <thead>
              <tr>
                <th scope="col">Venue</th>
                <th scope="col" class="number">Share</th>
                <th scope="col" class="number">Sells</th>
                <th scope="col" class="number">Buys</th>
              </tr>
            </thead>
            <tbody>
              {steps.map((step) => (
                <tr key={step.key}>
                  <th scope="row">
                    <span class="venue">
                      <i style={{ background: venueColour(step.venue) }} />
                      {step.venue}
                    </span>
                  </th>
                  <td class="number">{(step.share * 100).toFixed(2)}%</td>
                  <td class="number">{amount(step.sellAmount, step.from)}</td>
                  <td class="number">{amount(step.buyAmount, step.to)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function Alternatives({ quotes, chosen, side, onChoose }: { quotes: Quote[]; chosen: number; side: "sell" | "buy"; onChoose: (at: number) => void }) {
  const amount = (quote: Quote) => (side === "sell" ? [quote.buyAmount, quote.buyTokenAddress] : [quote.sellAmount, quote.sellTokenAddress]) as [string, string];
  const best = Number(BigInt(amount(quotes[0]!)[0]));
  return (
    <Panel title="Alternatives" aside={side === "sell" ? "what they pay" : "what they cost"}>
      <ul class="alternatives">
        {quotes.map((quote, at) => {
          const [units, token] = amount(quote);
          const apart = (Number(BigInt(units)) / best - 1) * 100;
          const venues = [...new Set(flows(quote).map((flow) => flow.venue))];
          return (
            <li key={quote.quoteId}>
              <button type="button" aria-pressed={at === chosen} onClick={() => onChoose(at)}>
                <span class="alternative-venues">
                  {venues.map((venue) => (
                    <span class="venue" key={venue}>
                      <i style={{ background: venueColour(venue) }} />
                      {venue}
                    </span>
                  ))}
                </span>
                <span class="number">
                  {shown(BigInt(units), tokens.value.get(token)?.decimals ?? 18, 8)} {symbol(token)}
                </span>
                <small class="number">{at === 0 ? "best" : `${apart > 0 ? "+" : "−"}${Math.abs(apart).toFixed(3)}%`}</small>
              </button>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function Execute({ quote, slippage, onDone }: { quote: Quote | undefined; slippage: number; onDone: () => void }) {
  const sent = useSignal<string | null>(null);
  const who = account.value;
  const run = async () => {
    if (!quote || !who) return;
    try {
      const { calls } = await ask<{ calls: Call[] }>("/swap/v3/build", { body: { quoteId: quote.quoteId, takerAddress: who.address, slippage, includeApprove: true } });
      const { transactionHash } = await who.execute(calls);
      sent.value = transactionHash;
      say(`Swapped by ${who.name}: it is in one of the next blocks`);
      setTimeout(() => void readSimulated().catch(() => {}), 3_000);
    } catch (error) {
      say((error as Error).message, "wrong", 9_000);
    }
    onDone();
  };
  return (
    <>
      <Action run={run} class="primary wide" disabled={!quote || !who}>
        {!who ? "Choose who trades" : !quote ? "Write an amount" : `Swap ${symbol(quote.sellTokenAddress)} for ${symbol(quote.buyTokenAddress)}`}
      </Action>
      {sent.value && (
        <p class="sent">
          Sent as <Address value={sent.value} head={10} tail={6} />
        </p>
      )}
    </>
  );
}
