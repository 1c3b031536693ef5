// Both generations of the published aggregator SDK, unmodified, find quotes and
// trade with real accounts of starknet.js on the simulated node: what an account
// has before and after is what the quote said.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as sdk4 from "@avnu/avnu-sdk";
import * as sdk4beta from "avnu-sdk-beta";
import { Account, CallData, RpcProvider } from "starknet";
import { startStoa } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const PADDED_ETH = "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const STAKED_STRK = "0x73746f615f7661756c745f7374726b";
const SN_STOA = "0x534e5f53544f41";
const ONE = 10n ** 18n;
const RETRY = { retryInterval: 50 };

let stoa;
let options;
let node;
let accounts;
before(async () => {
  stoa = await startStoa("--dialect", "avnu", "--no-rate-limit");
  options = { baseUrl: stoa.api };
  node = await RpcProvider.create({ nodeUrl: stoa.node });
  accounts = await stoa.control("sim_accounts");
  // Blocks come only by asking, so that a quote is of the newest one.
  await stoa.control("sim_pause");
  // Until tokens were tried out, routes may pass those that do not do what they say.
  const isLearned = async () => /^stoa_tokens_shunned 2$/m.test(await (await fetch(`${stoa.api}/metrics`)).text());
  for (let mined = 0; mined === 0 || !(await isLearned()); mined++) {
    assert.ok(mined < 400, "hostile tokens are not learned");
    await mine();
  }
});
after(async () => assert.equal(await stoa.stop(), 0));

// The next block, once answers are of it.
async function mine() {
  await stoa.serves(await stoa.control("sim_mine", { blocks: 1 }));
}

const balance = async (contractAddress, owner) => {
  const calldata = CallData.compile([owner]);
  const call = { contractAddress, entrypoint: "balanceOf", calldata };
  const [low, high] = await node.callContract(call, "latest");
  return BigInt(low) + (BigInt(high) << 128n);
};

function assertTree(routes, from, to) {
  const sum = routes.reduce((total, { percent }) => total + percent, 0);
  assert.ok(Math.abs(sum - 1) < 1e-9, `${sum}`);
  for (const route of routes) {
    assert.equal(route.sellTokenAddress, from);
    if (route.buyTokenAddress === to) assert.deepEqual(route.routes, []);
    else assertTree(route.routes, route.buyTokenAddress, to);
  }
}

const names = (routes) => routes.flatMap(({ name, routes }) => [name, ...names(routes)]);

const generations = [
  ["@avnu/avnu-sdk 4.0.1", sdk4, 0],
  ["@avnu/avnu-sdk 4.0.0-beta.2", sdk4beta, 1],
];

for (const [name, sdk, index] of generations) {
  describe(name, () => {
    const { getSources, getQuotes, quoteToCalls, executeSwap } = sdk;
    const sale = { sellTokenAddress: ETH, buyTokenAddress: USDC, sellAmount: ONE };
    const purchase = { sellTokenAddress: STRK, buyTokenAddress: USDC, buyAmount: 50_000_000n };
    let account;
    before(() => {
      const { address, private_key } = accounts[index];
      account = new Account({ provider: node, address, signer: private_key });
    });

    test("lists the sources", async () => {
      const sources = await getSources(options);
      assert.ok(sources.length >= 8);
      const { DEX, TOKEN_WRAPPER } = sdk.SourceType;
      const typed = ({ name, type }) => type === (name === "Endur" ? TOKEN_WRAPPER : DEX);
      assert.ok(sources.every(typed), JSON.stringify(sources));
      assert.ok(["Ekubo", "Endur"].every((known) => sources.some(({ name }) => name === known)));
    });

    test("quotes a sale", async () => {
      const [quote, ...others] = await getQuotes(sale, options);
      assert.equal(others.length, 0);
      assert.equal(quote.sellAmount, ONE);
      assert.ok(quote.buyAmount > 0n && quote.gasFees > 0n);
      assert.equal(quote.chainId, SN_STOA);
      assert.equal(quote.fee.feeToken, USDC);
      assert.ok([2n, 15n].includes(quote.fee.avnuFeesBps));
      assert.ok(quote.sellTokenPriceInUsd > 0 && quote.buyTokenPriceInUsd > 0);
      assert.ok(quote.expiry > Date.now() / 1000);
      assert.ok(Number.isFinite(quote.priceImpact) && quote.estimatedSlippage >= 0);
      assertTree(quote.routes, ETH, USDC);
      const [padded] = await getQuotes({ ...sale, sellTokenAddress: PADDED_ETH }, options);
      assert.equal(padded.buyAmount, quote.buyAmount);
    });

    test("quotes a purchase", async () => {
      const [quote] = await getQuotes(purchase, options);
      assert.equal(quote.buyAmount, 50_000_000n);
      assert.ok(quote.sellAmount > 0n);
      assertTree(quote.routes, STRK, USDC);
    });

    test("quotes several ways, the best first", async () => {
      const quotes = await getQuotes({ ...sale, size: 5 }, options);
      assert.ok(quotes.length >= 2 && quotes.length <= 5, `${quotes.length}`);
      assert.equal(new Set(quotes.map(({ quoteId }) => quoteId)).size, quotes.length);
      const net = quotes.map(({ buyAmountInUsd, gasFeesInUsd }) => buyAmountInUsd - gasFeesInUsd);
      net.slice(1).forEach((worth, index) => assert.ok(worth <= net[index] * (1 + 1e-6)));
    });

    test("quotes with integrator, without hops and without a source", async () => {
      const integrator = { integratorFees: 30n, integratorFeeRecipient: "0xfee", integratorName: "Somebody" };
      const [paid] = await getQuotes({ ...sale, ...integrator, takerAddress: account.address }, options);
      assert.equal(paid.fee.integratorFeesBps, 30n);
      assert.ok(paid.fee.integratorFees > 0n);
      const [direct] = await getQuotes({ ...sale, onlyDirect: true }, options);
      assert.ok(direct.routes.every(({ buyTokenAddress }) => buyTokenAddress === USDC));
      const large = { ...sale, sellAmount: 300n * ONE };
      const used = names((await getQuotes(large, options))[0].routes);
      const [without] = await getQuotes({ ...large, excludeSources: [used[0]] }, options);
      assert.ok(!names(without.routes).includes(used[0]));
    });

    test("is told what is wrong", async () => {
      await assert.rejects(getQuotes({ ...sale, size: 6 }, options), /size must be a whole number from 1 to 5/);
      await assert.rejects(getQuotes({ ...sale, buyTokenAddress: "0x123" }, options), /token 0x123 not found/);
      const everything = { ...purchase, buyAmount: 2n ** 200n };
      assert.deepEqual(await getQuotes(everything, options), []);
    });

    test("gets calls for a quote", async () => {
      const [quote] = await getQuotes(sale, options);
      const built = await quoteToCalls(
        { quoteId: quote.quoteId, slippage: 0.01, takerAddress: account.address },
        options,
      );
      assert.equal(built.chainId, SN_STOA);
      assert.deepEqual(
        built.calls.map(({ entrypoint }) => entrypoint),
        ["approve", "multi_route_swap"],
      );
      const least = BigInt(built.calls[1].calldata[6]);
      assert.equal(least, (quote.buyAmount * 99n) / 100n);
      const unknown = { quoteId: crypto.randomUUID(), slippage: 0.01, takerAddress: account.address };
      await assert.rejects(quoteToCalls(unknown, options), /QUOTE_EXPIRED/);
    });

    for (const [what, wish] of [
      ["a sale", sale],
      ["a purchase", purchase],
      ["a large sale", { ...sale, sellAmount: 200n * ONE }],
      ["a deposit", { ...sale, sellTokenAddress: STRK, buyTokenAddress: STAKED_STRK }],
      ["a way to a deposit", { ...sale, buyTokenAddress: STAKED_STRK }],
    ]) {
      test(`executes ${what}, and the account has what the quote said`, async () => {
        const { sellTokenAddress, buyTokenAddress } = wish;
        const [sold, bought] = await Promise.all(
          [sellTokenAddress, buyTokenAddress].map((token) => balance(token, account.address)),
        );
        const [quote] = await getQuotes({ ...wish, takerAddress: account.address }, options);
        const swap = { provider: account, quote, slippage: 0.01, executeApprove: true };
        const { transactionHash } = await executeSwap(swap, options);
        await mine();
        const receipt = await node.waitForTransaction(transactionHash, RETRY);
        assert.ok(receipt.isSuccess(), receipt.revert_reason);
        const fee = sellTokenAddress === STRK ? BigInt(receipt.actual_fee.amount) : 0n;
        assert.equal(await balance(sellTokenAddress, account.address), sold - quote.sellAmount - fee);
        assert.equal(await balance(buyTokenAddress, account.address), bought + quote.buyAmount);
      });
    }
  });
}
