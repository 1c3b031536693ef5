// Quotes as the service tells them, in either dialect.

export interface RouteNode {
  name: string;
  percent: number;
  sellTokenAddress: string;
  buyTokenAddress: string;
  routes: RouteNode[];
}

export interface SwapStep {
  pool: string;
  venue: string;
  sellTokenAddress: string;
  buyTokenAddress: string;
  sellAmount: string;
  buyAmount: string;
}

interface Fee {
  feeToken: string;
  platformFees?: string;
  platformFeesInUsd?: number;
  platformFeesBps?: string;
  avnuFees?: string;
  avnuFeesInUsd?: number;
  avnuFeesBps?: string;
}

export interface Quote {
  quoteId: string;
  sellTokenAddress: string;
  sellAmount: string;
  sellAmountInUsd: number;
  buyTokenAddress: string;
  buyAmount: string;
  buyAmountInUsd: number;
  fee: Fee;
  expiry: number;
  routes: RouteNode[];
  gasFees: string;
  gasFeesInUsd?: number;
  /** In basis points; negative is a loss. */
  priceImpact: number;
  estimatedSlippage?: number;
  gapBps?: number;
  swaps?: SwapStep[];
}

export const platformFee = (fee: Fee): { usd: number | undefined; bps: number } => ({
  usd: fee.platformFeesInUsd ?? fee.avnuFeesInUsd,
  bps: Number(fee.platformFeesBps ?? fee.avnuFeesBps ?? 0),
});

/** One swap of a route: how much of the whole order passes it, and its amounts where they are told. */
export interface Flow {
  key: string;
  venue: string;
  from: string;
  to: string;
  share: number;
  sellAmount: bigint | null;
  buyAmount: bigint | null;
}

export function flows(quote: Quote): Flow[] {
  return quote.swaps?.length ? ofSwaps(quote, quote.swaps) : ofTree(quote);
}

/** In the order of execution: what gives a token comes before what sells it. */
function ofSwaps(quote: Quote, swaps: SwapStep[]): Flow[] {
  const sold = new Map<string, bigint>();
  for (const swap of swaps) sold.set(swap.sellTokenAddress, (sold.get(swap.sellTokenAddress) ?? 0n) + BigInt(swap.sellAmount));
  const arriving = new Map<string, number>([[quote.sellTokenAddress, 1]]);
  return swaps.map((swap, at) => {
    const whole = sold.get(swap.sellTokenAddress) || 1n;
    const part = Number((BigInt(swap.sellAmount) * 1_000_000n) / whole) / 1_000_000;
    const share = (arriving.get(swap.sellTokenAddress) ?? 0) * part;
    arriving.set(swap.buyTokenAddress, (arriving.get(swap.buyTokenAddress) ?? 0) + share);
    return { key: `s${at}`, venue: swap.venue, from: swap.sellTokenAddress, to: swap.buyTokenAddress, share, sellAmount: BigInt(swap.sellAmount), buyAmount: BigInt(swap.buyAmount) };
  });
}

/** The tree tells shares alone; swaps of one venue between two tokens count as one. */
function ofTree(quote: Quote): Flow[] {
  const found = new Map<string, Flow>();
  const follow = (node: RouteNode, above: number) => {
    const share = above * node.percent;
    const key = `${node.name} ${node.sellTokenAddress} ${node.buyTokenAddress}`;
    const flow = found.get(key);
    if (flow) flow.share += share;
    else found.set(key, { key, venue: node.name, from: node.sellTokenAddress, to: node.buyTokenAddress, share, sellAmount: null, buyAmount: null });
    for (const next of node.routes) follow(next, share);
  };
  for (const node of quote.routes) follow(node, 1);
  return [...found.values()];
}
