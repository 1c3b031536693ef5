// The published aggregator SDK creates recurring orders with a real account of
// starknet.js on the simulated node; the keeper executes them, and the sums are
// exact to the last unit.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as sdk from "@avnu/avnu-sdk";
import * as sdkOfOldZod from "avnu-sdk-with-zod-4.3";
import moment from "moment";
import { Account, CallData, RpcProvider, hash } from "starknet";
import { startStoa, until } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const ONE = 10n ** 18n;
const HOUR = 3_600;
const RETRY = { retryInterval: 50 };
const ALL = 2n ** 256n - 1n;

let stoa;
let options;
let node;
let account;
before(async () => {
  stoa = await startStoa("--dialect", "avnu", "--no-rate-limit");
  options = { baseUrl: stoa.api };
  node = await RpcProvider.create({ nodeUrl: stoa.node });
  const [{ address, private_key }] = await stoa.control("sim_accounts");
  account = new Account({ provider: node, address, signer: private_key });
  // What a cycle is measured against passes no token that is known to be hostile.
  await until("hostile tokens are known", async () => {
    const metrics = await (await fetch(`${stoa.api}/metrics`)).text();
    return /^stoa_tokens_shunned 2$/m.test(metrics);
  });
  // Where the generated history ends prices are apart; arbitrageurs bring them together.
  await until("pools agree with prices", async () => {
    const wanted = { sellTokenAddress: ETH, buyTokenAddress: USDC, sellAmount: ONE / 3n };
    const [quote] = await sdk.getQuotes(wanted, options);
    return quote !== undefined && Math.abs(quote.buyAmountInUsd / quote.sellAmountInUsd - 1) < 0.02;
  });
});
after(async () => assert.equal(await stoa.stop(), 0));

const hex = (number) => `0x${number.toString(16)}`;

const balance = async (contractAddress, owner) => {
  const call = { contractAddress, entrypoint: "balanceOf", calldata: CallData.compile([owner]) };
  const [low, high] = await node.callContract(call, "latest");
  return BigInt(low) + (BigInt(high) << 128n);
};

const hourly = (cycles, pricingStrategy = {}) => ({
  sellTokenAddress: ETH,
  buyTokenAddress: USDC,
  sellAmount: hex(ONE),
  sellAmountPerCycle: hex(ONE / BigInt(cycles)),
  frequency: moment.duration(1, "hour"),
  pricingStrategy,
  traderAddress: account.address,
});

// Creates an order and waits until the list has it.
const create = async (order) => {
  const { transactionHash } = await sdk.executeCreateDca({ provider: account, order }, options);
  const receipt = await node.waitForTransaction(transactionHash, RETRY);
  const name = BigInt(hash.getSelectorFromName("DcaOrderDeployed"));
  const { keys } = receipt.events.find(({ keys }) => BigInt(keys[0]) === name);
  await until("the order is listed", async () => (await listed(keys[1])) !== undefined);
  return keys[1];
};

// An older zod takes and refuses other things: both have to read everything.
const list = async (more = {}) => {
  const query = { traderAddress: account.address, size: 50, ...more };
  await sdkOfOldZod.getDcaOrders(query, options);
  return sdk.getDcaOrders(query, options);
};

const listed = async (address) => {
  const { content } = await list();
  return content.find(({ orderAddress }) => BigInt(orderAddress) === BigInt(address));
};

// Waits until the list says so of an order.
const becomes = async (address, statement, isTrue) => {
  let last;
  await until(statement, async () => {
    last = await listed(address);
    return isTrue(last);
  }).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last, (_, it) => (typeof it === "bigint" ? hex(it) : it))}`);
  });
  return last;
};

const statuses = ({ trades }) => trades.map(({ status }) => status);

describe("recurring orders", () => {
  test("are created with two calls", async () => {
    const { chainId, calls } = await sdk.createDcaToCalls(hourly(24), options);
    assert.equal(chainId, await node.getChainId());
    assert.deepEqual(calls.map(({ entrypoint }) => entrypoint), ["approve", "deploy_dca_order"]);
  });

  test("are executed cycle by cycle, close, and pay back the rest", async () => {
    const had = [await balance(ETH, account.address), await balance(USDC, account.address)];
    const order = await create(hourly(3));
    for (let cycle = 1; cycle <= 3; cycle++) {
      const { trades } = await becomes(order, `cycle ${cycle} is executed`, (it) => it.executedTradesCount === cycle);
      const { status, txHash, sellAmountInUsd, buyAmountInUsd, errorReason } = trades[cycle - 1];
      assert.equal(status, "SUCCEEDED");
      assert.equal(errorReason, undefined);
      assert.equal((await node.getTransactionReceipt(txHash)).execution_status, "SUCCEEDED");
      // Pools and reference prices part for a while when an hour passes at once.
      const [least, most] = cycle === 1 ? [0.95, 1.05] : [0.5, 2];
      const ratio = buyAmountInUsd / sellAmountInUsd;
      assert.ok(ratio > least && ratio < most, `${buyAmountInUsd} for ${sellAmountInUsd} USD`);
      if (cycle < 3) await stoa.control("sim_advance", { seconds: HOUR });
    }
    const closed = await listed(order);
    assert.equal(closed.status, "CLOSED");
    await until("every cycle is measured", async () => {
      const { content } = await (await fetch(`${stoa.api}/dca/v3/orders?traderAddress=${account.address}`)).json();
      const shortfalls = content[0].trades.map(({ shortfallBps }) => shortfallBps);
      assert.ok(shortfalls.every((it) => it === undefined || Math.abs(it) < 100), `${shortfalls}`);
      return shortfalls.every((it) => it !== undefined);
    });
    assert.ok(closed.closeDate <= closed.endDate);
    assert.equal(closed.amountSold, (ONE / 3n) * 3n);
    assert.equal(closed.averageAmountBought, closed.amountBought / 3n);
    assert.equal(await balance(ETH, order), 0n);
    assert.equal(await balance(ETH, account.address), had[0] - closed.amountSold);
    assert.equal(await balance(USDC, account.address), had[1] + closed.amountBought);
  });

  test("cancelled midway pay back exactly what was not sold", async () => {
    const had = await balance(ETH, account.address);
    const order = await create(hourly(4));
    await becomes(order, "the first cycle is executed", (it) => it.executedTradesCount === 1);
    const { transactionHash } = await sdk.executeCancelDca({ provider: account, orderAddress: order }, options);
    await node.waitForTransaction(transactionHash, RETRY);
    const closed = await becomes(order, "the order is closed", (it) => it.status === "CLOSED");
    assert.deepEqual(statuses(closed), ["SUCCEEDED", "CANCELLED", "CANCELLED", "CANCELLED"]);
    assert.equal(closed.trades[3].errorReason, "the order was cancelled");
    assert.equal(await balance(ETH, account.address), had - ONE / 4n);
  });

  test("skip cycles that miss their bounds, and tell both bounds", async () => {
    const least = 10n ** 15n;
    const order = await create(hourly(2, { tokenToMinAmount: hex(least) }));
    const one = await becomes(order, "the first cycle is skipped", (it) => it.cancelledTradesCount === 1);
    assert.match(one.trades[0].errorReason, /^would have bought \d+, and the minimum is 1000000000000000$/);
    assert.deepEqual(one.pricingStrategy, { tokenToMinAmount: hex(least), tokenToMaxAmount: hex(ALL) });
    await stoa.control("sim_advance", { seconds: HOUR });
    const both = await becomes(order, "the order is closed", (it) => it.status === "CLOSED");
    assert.deepEqual(statuses(both), ["CANCELLED", "CANCELLED"]);
    assert.equal(await balance(ETH, order), 0n);
    const cheap = await create(hourly(2, { tokenToMaxAmount: "0x1" }));
    const other = await becomes(cheap, "the first cycle is skipped", (it) => it.cancelledTradesCount === 1);
    assert.deepEqual(other.pricingStrategy, { tokenToMinAmount: "0x0", tokenToMaxAmount: "0x1" });
  });

  test("that nobody executed in time say so, and go on", async () => {
    const order = await create(hourly(3));
    await becomes(order, "the first cycle is executed", (it) => it.executedTradesCount === 1);
    await stoa.control("sim_advance", { seconds: 2 * HOUR });
    const closed = await becomes(order, "the last cycle is executed", (it) => it.executedTradesCount === 2);
    assert.deepEqual(statuses(closed), ["SUCCEEDED", "CANCELLED", "SUCCEEDED"]);
    assert.equal(closed.trades[1].errorReason, "not executed in time");
  });

  test("are listed by status, sorted and paged", async () => {
    const order = await create(hourly(24));
    await becomes(order, "the order is active", (it) => it.status === "ACTIVE");
    const { content, totalElements } = await list();
    assert.equal(content.length, totalElements);
    const closed = await list({ status: "CLOSED" });
    const active = await list({ status: "ACTIVE" });
    assert.equal((await list({ status: "INDEXING" })).totalElements, 0);
    assert.equal(closed.totalElements + active.totalElements, totalElements);
    assert.ok(closed.totalElements >= 3 && active.totalElements >= 1);
    const oldest = await list({ sort: "createdAt,asc", size: 2 });
    assert.equal(oldest.totalPages, Math.ceil(totalElements / 2));
    assert.equal(oldest.content[0].orderAddress, content.at(-1).orderAddress);
    const [most] = (await list({ sort: "remainingCycles,desc" })).content;
    assert.equal(most.pendingTradesCount, Math.max(...content.map((it) => it.pendingTradesCount)));
  });

  test("survive a reorganisation over their creation", async () => {
    const order = await create(hourly(5));
    await becomes(order, "the first cycle is executed", (it) => it.executedTradesCount === 1);
    const head = await node.getBlockNumber();
    const { blockNumber } = await listed(order);
    await stoa.serves(await stoa.control("sim_reorg", { depth: head - blockNumber + 1 }));
    // Orders are read out of a block soon after it is served.
    await until("the list agrees with the new fork", async () => {
      const again = await listed(order);
      return again?.executedTradesCount === 1 && (await balance(ETH, order)) === ONE - again.amountSold;
    });
  });

  test("are executed by a process that has other roles and no lease market", async () => {
    const apart = await startStoa("--roles", "indexer,api", "--dialect", "avnu", "--no-rate-limit");
    try {
      const there = { baseUrl: apart.api };
      const provider = await RpcProvider.create({ nodeUrl: apart.node });
      const { address, signer } = account;
      const saver = new Account({ provider, address, signer });
      const order = { ...hourly(3), pricingStrategy: {} };
      const { transactionHash } = await sdk.executeCreateDca({ provider: saver, order }, there);
      await provider.waitForTransaction(transactionHash, RETRY);
      const query = { traderAddress: address, size: 1 };
      const first = async () => (await sdk.getDcaOrders(query, there)).content[0];
      await until("the order is active", async () => (await first())?.status === "ACTIVE");
      await apart.serves(await apart.control("sim_mine", { blocks: 5 }));
      assert.equal((await first()).executedTradesCount, 0, "nobody does jobs");
      // It knows no Solana node, so that it has no lease market.
      const worker = await apart.beside("jobs");
      try {
        await until("a cycle is executed", async () => (await first()).executedTradesCount === 1);
      } finally {
        assert.equal(await worker.stop(), 0);
      }
    } finally {
      assert.equal(await apart.stop(), 0);
    }
  });

  test("are refused in words", async () => {
    for (const [wrong, words] of [
      [{ sellAmountPerCycle: "0x0" }, /sellAmountPerCycle/],
      [{ sellAmountPerCycle: hex(2n * ONE) }, /sellAmountPerCycle is more than sellAmount/],
      [{ sellAmountPerCycle: hex(ONE / 1_001n) }, /1001 cycles/],
      [{ buyTokenAddress: ETH }, /the same/],
      [{ buyTokenAddress: "0x123" }, /not a known token/],
      [{ frequency: moment.duration(1, "second") }, /frequency/],
      [{ pricingStrategy: { tokenToMinAmount: "0x2", tokenToMaxAmount: "0x1" } }, /tokenToMinAmount/],
    ])
      await assert.rejects(sdk.createDcaToCalls({ ...hourly(24), ...wrong }, options), words);
    await assert.rejects(list({ size: 51 }), /size/);
    await assert.rejects(list({ sort: "name,asc" }), /sort/);
    await assert.rejects(list({ status: "OPEN" }), /status/);
  });
});
