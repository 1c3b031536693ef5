// Recurring orders as the service tells them.

export interface Cycle {
  sellAmount: string;
  buyAmount?: string | null;
  status: string;
  expectedTradeDate?: string;
  actualTradeDate?: string | null;
}

export interface Order {
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
  trades: Cycle[];
}

export interface Preview {
  iterations: number;
  endDate: string;
  cycle?: { buyAmount: string; buyAmountInUsd: number; priceImpact: number } | null;
  replay: { executedTradesCount: number; averageAmountBought: string; amountBought: string; amountSold: string; from: string | null; to: string };
}
