// The published aggregator SDK checks the signatures of answers, when it is told
// the public key that the program prints.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as sdk from "@avnu/avnu-sdk";
import { startStoa } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

let stoa;
before(async () => {
  stoa = await startStoa("--dialect", "avnu", "--no-rate-limit");
});
after(async () => assert.equal(await stoa.stop(), 0));

describe("signed answers", () => {
  const options = (avnuPublicKey) => ({ baseUrl: stoa.api, impulseBaseUrl: stoa.api, avnuPublicKey });
  const questions = {
    tokens: (options) => sdk.fetchTokens({ size: 5 }, options),
    sources: (options) => sdk.getSources(options),
    quotes: (options) =>
      sdk.getQuotes({ sellTokenAddress: ETH, buyTokenAddress: STRK, sellAmount: 10n ** 17n }, options),
    market: (options) => sdk.getTokenMarketData(ETH, options),
  };

  for (const [name, ask] of Object.entries(questions)) {
    test(`${name}: taken with the printed key, refused with another`, async () => {
      assert.match(stoa.signer, /^0x04[0-9a-f]{128}$/);
      await ask(options(stoa.signer));
      // The vector of a public key that signs nothing here.
      const other =
        "0x040191ba565383f9a62d478b0e30487dc99457213894ed8c56f6850dbee89dcacf" +
        "00ce2e05450955303d342f8d8ae36ad20d6ac5974607402642cd2ee9a482547f";
      await assert.rejects(ask(options(other)), /signature/i);
    });
  }
});
