// What a quote promises and costs, line by line.
import { fromUnits, shown } from "../../lib/amount";
import { price, usd } from "../../lib/format";
import { platformFee, type Quote } from "../../lib/quote";
import { symbol, tokens } from "../../lib/tokens";
import { Panel, Skeleton } from "../../ui/parts";

interface Row {
  name: string;
  value: string;
  tone?: string;
}

const NAMES = ["Rate", "Price impact", "Gap to the best possible", "Service fee", "Network fee", "Expected slippage"];
const HARMFUL_IMPACT = -1;

const amountOf = (units: string, token: string): number => Number(fromUnits(BigInt(units), tokens.value.get(token)?.decimals ?? 18));

function rate(quote: Quote): string {
  const value = amountOf(quote.buyAmount, quote.buyTokenAddress) / amountOf(quote.sellAmount, quote.sellTokenAddress);
  return `1 ${symbol(quote.sellTokenAddress)} = ${value ? price(value).slice(1) : "–"} ${symbol(quote.buyTokenAddress)}`;
}

function rows(quote: Quote): Row[] {
  const fee = platformFee(quote.fee);
  const impact = quote.priceImpact / 100;
  const values = [
    rate(quote),
    `${impact > 0 ? "+" : impact < 0 ? "−" : ""}${Math.abs(impact).toFixed(2)}%`,
    quote.gapBps === undefined ? "not known" : `at most ${(quote.gapBps / 100).toFixed(3)}%`,
    `${usd(fee.usd)} (${(fee.bps / 100).toFixed(2)}%)`,
    quote.gasFeesInUsd === undefined ? `${shown(BigInt(quote.gasFees), 18, 4)} STRK` : `${price(quote.gasFeesInUsd)} in STRK`,
    quote.estimatedSlippage === undefined ? "not known" : `${quote.estimatedSlippage.toFixed(3)}%`,
  ];
  return values.map((value, at) => ({ name: NAMES[at]!, value, tone: at === 1 && impact < HARMFUL_IMPACT ? "down" : undefined }));
}

export function Terms({ quote, isWaiting }: { quote: Quote | undefined; isWaiting: boolean }) {
  const shownRows = quote ? rows(quote) : NAMES.map((name) => ({ name, value: "", tone: undefined }));
  return (
    <Panel class="terms">
      <dl>
        {shownRows.map(({ name, value, tone }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={tone}>{value || (isWaiting ? <Skeleton class="term" /> : "–")}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
