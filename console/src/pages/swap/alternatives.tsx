// Other ways to fill the same order, and how much worse they are.
import { flows, type Quote } from "../../lib/quote";
import { amount } from "../../lib/tokens";
import { Panel } from "../../ui/parts";
import { VenueName } from "../../ui/venue-name";

interface AlternativesProps {
  quotes: Quote[];
  chosen: number;
  side: "sell" | "buy";
  onChoose: (at: number) => void;
}

export function Alternatives({ quotes, chosen, side, onChoose }: AlternativesProps) {
  const units = (quote: Quote) => BigInt(side === "sell" ? quote.buyAmount : quote.sellAmount);
  const best = Number(units(quotes[0]!));
  const apart = (quote: Quote) => (Number(units(quote)) / best - 1) * 100;
  return (
    <Panel title="Alternatives" aside={side === "sell" ? "what you receive" : "what you pay"}>
      <ul class="alternatives">
        {quotes.map((quote, at) => (
          <li key={quote.quoteId}>
            <button type="button" aria-pressed={at === chosen} onClick={() => onChoose(at)}>
              <span class="alternative-venues">
                {[...new Set(flows(quote).map((flow) => flow.venue))].map((venue) => (
                  <VenueName key={venue} name={venue} />
                ))}
              </span>
              <span class="number">{amount(units(quote), side === "sell" ? quote.buyTokenAddress : quote.sellTokenAddress, 8)}</span>
              <small class="number">{at === 0 ? "best" : `${apart(quote) > 0 ? "+" : "−"}${Math.abs(apart(quote)).toFixed(3)}%`}</small>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
