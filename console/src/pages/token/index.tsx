// One token: its price over time, where its liquidity is, who trades it.
import { useEffect } from "preact/hooks";
import { ask, query } from "../../lib/api";
import { percent, price, tone, usd } from "../../lib/format";
import { pace, prices, rewritten, usePrices } from "../../lib/live";
import { useLoaded } from "../../lib/load";
import type { TokenMarket } from "../../lib/market";
import { needTokens } from "../../lib/tokens";
import type { PageProps } from "../../routes";
import { Logo } from "../../ui/logo";
import { Address, Figure, Figures, Page, Panel, Skeleton, Tag, Trouble } from "../../ui/parts";
import { LiquidityByVenue, TokenPools } from "./liquidity";
import { Prices } from "./prices";
import { Trades } from "./trades";
import "../../style/token.css";

export function TokenPage({ id }: PageProps) {
  const { data: token, failure, again } = useLoaded(`token ${id}`, (signal) => ask<TokenMarket>(`/v3/tokens/${id}`, { signal }), pace, rewritten);
  useEffect(needTokens, []);
  usePrices([id]);
  if (failure && !token)
    return (
      <Page title="Token">
        <Trouble failure={failure} again={again} />
      </Page>
    );
  const figures = token?.network ?? token?.starknet ?? {};
  const told = prices.value.get(id);
  const cost = told?.priceUsd ?? figures.usd;
  const change = told?.change24h ?? figures.usdPriceChangePercentage24h;
  return (
    <Page
      title={
        <>
          <Logo address={id} size={32} />
          {token ? token.symbol : <Skeleton class="word" />}
          {token && <span class="soft token-long">{token.name}</span>}
          {token && !token.verified && <Tag kind="warn">{token.tags[0] ?? "Unknown"}</Tag>}
        </>
      }
      lead={<Address value={id} head={10} tail={8} />}
      actions={
        <a class="button primary" href={query("/swap", { sell: id })}>
          Swap {token?.symbol ?? ""}
        </a>
      }
    >
      <div class="stack">
        <Panel>
          <Figures>
            <Figure label="Price" hint={<span class={tone(change)}>{percent(change)} in 24 h</span>}>
              {price(cost)}
            </Figure>
            <Figure label="1 hour" tone={tone(figures.usdPriceChangePercentage1h)}>
              {percent(figures.usdPriceChangePercentage1h)}
            </Figure>
            <Figure label="7 days" tone={tone(figures.usdPriceChangePercentage7d)}>
              {percent(figures.usdPriceChangePercentage7d)}
            </Figure>
            <Figure label="Volume 24 h">{usd(figures.usdTradingVolume24h)}</Figure>
            <Figure label="TVL">{usd(figures.usdTvl)}</Figure>
            <Figure label="Market cap">{usd(token?.global?.usdMarketCap)}</Figure>
          </Figures>
        </Panel>
        <Prices id={id} symbol={token?.symbol ?? ""} />
        <div class="columns">
          <Trades id={id} decimals={token?.decimals} symbol={token?.symbol ?? ""} />
          <LiquidityByVenue id={id} />
        </div>
        <TokenPools id={id} />
      </div>
    </Page>
  );
}
