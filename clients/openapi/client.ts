// A client whose types are generated from the document: what it may send and what it
// gets is known to the compiler.
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./generated/stoa.d.ts";

export type Stoa = Client<paths>;
type Quote = components["schemas"]["Quote"];

export const connect = (baseUrl: string): Stoa => createClient<paths>({ baseUrl });

/** The best quote of a sale. */
export async function quote(stoa: Stoa, sell: string, buy: string, amount: bigint): Promise<Quote> {
  const query = { sellTokenAddress: sell, buyTokenAddress: buy, sellAmount: `0x${amount.toString(16)}` };
  const { data, error } = await stoa.GET("/swap/v3/quotes", { params: { query } });
  if (error) throw new Error(error.messages.join("; "));
  const [best] = data;
  if (!best) throw new Error("no quote");
  return best;
}

/** Where the calls of a quote lead. */
export async function build(stoa: Stoa, { quoteId }: Quote, takerAddress: string): Promise<string[]> {
  const { data, error } = await stoa.POST("/swap/v3/build", { body: { quoteId, takerAddress } });
  if (error) throw new Error(error.messages.join("; "));
  return data.calls.map((call) => call.contractAddress);
}

/** Why nobody is signed in. */
export async function refusal(stoa: Stoa): Promise<string> {
  const { error, response } = await stoa.GET("/v1/me");
  return `${response.status} ${error?.type ?? ""}`;
}

/** What the compiler must refuse; never called. */
export async function mistakes(stoa: Stoa): Promise<void> {
  // @ts-expect-error: there is no such path
  await stoa.GET("/swap/v3/quote");
  // @ts-expect-error: what is bought is required
  await stoa.GET("/swap/v3/quotes", { params: { query: { sellTokenAddress: "0x1" } } });
  // @ts-expect-error: a body is required
  await stoa.POST("/swap/v3/build");
  const { data } = await stoa.GET("/v1/validators");
  // @ts-expect-error: lists are in an envelope
  data?.length;
}
