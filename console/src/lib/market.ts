// Market data as the service tells it, in either dialect.

export interface Candle {
  date: string;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

export interface Trade {
  blockNumber: number;
  timestamp: string;
  transactionHash: string | null;
  venue: string;
  side: "buy" | "sell";
  amount: string;
  otherToken: string;
  otherAmount: string;
  priceUsd: number | null;
  valueUsd: number | null;
}

export interface Depth {
  sell0Usd: number | null;
  sell1Usd: number | null;
}

export interface PoolToken {
  address: string;
  /** Null if the token is in no list. */
  symbol: string | null;
}

export interface Pool {
  id: string;
  address: string;
  venue: string;
  token0: PoolToken;
  token1: PoolToken;
  feeBps: number | null;
  tvlUsd: number | null;
  tradable: boolean;
  reason: string | null;
  /** Null while the contract's rules are not known. */
  depth: Record<string, Depth> | null;
}

export interface Figures {
  usd?: number | null;
  usdTvl?: number | null;
  usdPriceChangePercentage1h?: number | null;
  usdPriceChangePercentage24h?: number | null;
  usdPriceChangePercentage7d?: number | null;
  usdVolume24h?: number | null;
  usdTradingVolume24h?: number | null;
}

export interface TokenMarket {
  address: string;
  name: string;
  symbol: string;
  decimals: number;
  verified: boolean;
  tags: string[];
  network?: Figures;
  starknet?: Figures;
  global?: { usdMarketCap?: number | null; usdFdv?: number | null } | null;
}

export interface ExchangeTvl {
  exchange: string;
  valueUsd: number | null;
}

/** Venues keep their colour wherever they are. */
const VENUES = ["Ekubo", "JediSwap", "SithSwap", "Nostra", "StarkDefi", "mySwap", "10kSwap", "JediSwap v2"];

export function venueColour(name: string): string {
  const place = VENUES.indexOf(name);
  if (place >= 0) return `var(--v${place})`;
  let sum = 0;
  for (const letter of name) sum = (sum + letter.charCodeAt(0)) % 8;
  return `var(--v${sum})`;
}
