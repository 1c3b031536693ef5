// Quotes of the program, executed on the node.
import { hex } from "./market.js";

const VENUES = ["Ekubo", "JediSwap", "Endur"];

// The best quote on one venue alone; `undefined` if there is none.
export async function quote(stoa, venue, sell, buy, order) {
  const query = new URLSearchParams({
    sellTokenAddress: sell.address,
    buyTokenAddress: buy.address,
    ...order,
  });
  for (const other of VENUES.filter((name) => name !== venue)) query.append("excludeSources", other);
  const [best] = await stoa.get(`/swap/v3/quotes?${query}`);
  return best;
}

// Executes a quote, and says how far what was paid and bought are from it.
export async function execute(stoa, devnet, quoted, account) {
  const request = { quoteId: quoted.quoteId, takerAddress: account.address, slippage: 0.01, includeApprove: true };
  const { calls } = await stoa.post("/swap/v3/build", request);
  const tokens = [quoted.sellTokenAddress, quoted.buyTokenAddress];
  const held = () => Promise.all(tokens.map((token) => devnet.balance(token, account.address)));
  const [soldBefore, boughtBefore] = await held();
  const receipt = await devnet.execute(calls.map(named), account);
  const [soldAfter, boughtAfter] = await held();
  return {
    sold: soldBefore - soldAfter - BigInt(quoted.sellAmount),
    bought: boughtAfter - boughtBefore - BigInt(quoted.buyAmount),
    fee: BigInt(receipt.actual_fee.amount),
  };
}

// A call of the API as starknet.js takes it.
export const named = ({ contractAddress, entrypoint, calldata }) => ({ contractAddress, entrypoint, calldata: calldata.map(hex) });
