// The published aggregator SDK reads the token list of a Stoa that speaks its dialect.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fetchTokenByAddress, fetchTokens, fetchVerifiedTokenBySymbol } from "@avnu/avnu-sdk";
import { startStoa } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const PADDED_ETH = "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";

let stoa;
let options;
before(async () => {
  stoa = await startStoa("--dialect", "avnu");
  options = { baseUrl: stoa.api };
});
after(async () => assert.equal(await stoa.stop(), 0));

test("fetchTokens pages through the whole list without repeats", async () => {
  const first = await fetchTokens({}, options);
  assert.equal(first.size, 20);
  assert.ok(first.totalElements >= 60, `${first.totalElements} tokens`);
  const seen = new Set();
  for (let page = 0; page < first.totalPages; page++) {
    const { content } = await fetchTokens({ page, size: first.size }, options);
    content.forEach((token) => seen.add(token.address));
  }
  assert.equal(seen.size, first.totalElements);
});

test("fetchTokens filters by search and tags", async () => {
  const { content } = await fetchTokens({ search: "eth", tags: ["Verified"] }, options);
  assert.equal(content[0].symbol, "ETH");
  assert.ok(content.every((token) => token.tags.includes("Verified")));
  const platform = await fetchTokens({ tags: ["AVNU"] }, options);
  assert.ok(platform.totalElements > 0);
});

test("fetchTokenByAddress takes padded and short addresses", async () => {
  for (const address of [ETH, PADDED_ETH]) {
    const token = await fetchTokenByAddress(address, options);
    assert.equal(token.symbol, "ETH");
    assert.equal(token.address, ETH);
    assert.equal(token.decimals, 18);
    assert.equal(token.extensions.coingeckoId, "ethereum");
  }
});

test("an unknown token is a 404 for the SDK", async () => {
  await assert.rejects(fetchTokenByAddress("0xdead", options), /404/);
});

test("a malformed address is an error the SDK can read", async () => {
  await assert.rejects(fetchTokenByAddress("0xnothex", options), /hexadecimal/);
});

test("fetchVerifiedTokenBySymbol finds the verified one among look-alikes", async () => {
  const token = await fetchVerifiedTokenBySymbol("usdc", options);
  assert.equal(token.symbol, "USDC");
  assert.ok(token.tags.includes("Verified"));
  await assert.rejects(fetchVerifiedTokenBySymbol("NOSUCHTOKEN", options));
});
