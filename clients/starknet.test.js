// Three generations of starknet.js read the simulated node, unmodified.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as starknet8 from "starknet";
import * as starknet9 from "starknet-9";
import * as starknet10 from "starknet-10";
import { startStoa } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const SN_STOA = "0x534e5f53544f41";

let stoa;
before(async () => {
  stoa = await startStoa();
});
after(async () => assert.equal(await stoa.stop(), 0));

const generations = [
  ["starknet.js 8", starknet8, ""],
  ["starknet.js 9", starknet9, ""],
  ["starknet.js 10", starknet10, ""],
  ["starknet.js 10 at 0.10", starknet10, "/rpc/v0_10"],
];

for (const [name, { RpcProvider, CallData, hash, shortString }, path] of generations) {
  describe(name, () => {
    const provider = async () => RpcProvider.create({ nodeUrl: stoa.node + path });

    test("knows the chain and its head", async () => {
      const node = await provider();
      assert.equal(await node.getChainId(), SN_STOA);
      const { block_number, block_hash } = await node.getBlockLatestAccepted();
      const block = await node.getBlock(block_number);
      assert.equal(block.block_hash, block_hash);
      assert.equal(block.block_number, block_number);
    });

    test("reads blocks that link to each other", async () => {
      const node = await provider();
      const head = await node.getBlockNumber();
      const block = await node.getBlockWithReceipts(head);
      const parent = await node.getBlockWithTxHashes(head - 1);
      assert.equal(block.parent_hash, parent.block_hash);
      assert.ok(block.timestamp >= parent.timestamp);
      const full = await node.getBlockWithTxs(head);
      assert.deepEqual(
        full.transactions.map((transaction) => transaction.transaction_hash),
        block.transactions.map(({ receipt }) => receipt.transaction_hash),
      );
    });

    test("pages through events", async () => {
      const node = await provider();
      const head = await node.getBlockNumber();
      const filter = {
        address: ETH,
        from_block: { block_number: Math.max(0, head - 50) },
        to_block: { block_number: head },
        keys: [[hash.getSelectorFromName("Transfer")]],
      };
      const whole = await node.getEvents({ ...filter, chunk_size: 1000 });
      assert.ok(whole.events.length > 3, `${whole.events.length} events`);
      const paged = [];
      let continuation_token;
      do {
        const page = await node.getEvents({ ...filter, chunk_size: 3, continuation_token });
        paged.push(...page.events);
        continuation_token = page.continuation_token;
      } while (continuation_token);
      assert.deepEqual(paged, whole.events);
    });

    test("calls contracts", async () => {
      const node = await provider();
      const view = async (entrypoint, calldata = []) =>
        node.callContract({ contractAddress: ETH, entrypoint, calldata: CallData.compile(calldata) });
      assert.equal(BigInt((await view("decimals"))[0]), 18n);
      assert.equal(shortString.decodeShortString((await view("symbol"))[0]), "ETH");
      const [account] = await stoa.control("sim_accounts");
      const [low] = await view("balanceOf", [account.address]);
      assert.ok(BigInt(low) > 0n);
      assert.ok(BigInt(await node.getClassHashAt(account.address)) > 0n);
      assert.equal(BigInt(await node.getNonceForAddress(account.address)), 0n);
    });

    test("gets the node's own errors", async () => {
      const node = await provider();
      await assert.rejects(node.getBlock(4_000_000_000), /[Bb]lock not found/);
      await assert.rejects(node.getClassHashAt("0xdead"), /[Cc]ontract not found/);
      await assert.rejects(
        node.callContract({ contractAddress: ETH, entrypoint: "no_such_entrypoint" }),
      );
    });
  });
}

test("a reorganisation replaces the newest blocks", async () => {
  const node = await starknet10.RpcProvider.create({ nodeUrl: stoa.node });
  await stoa.control("sim_pause");
  const head = await node.getBlockNumber();
  const before = await node.getBlockWithTxHashes(head);
  await stoa.control("sim_reorg", { depth: 3 });
  const after = await node.getBlockWithTxHashes(head);
  assert.notEqual(after.block_hash, before.block_hash);
  assert.equal(
    (await node.getBlockWithTxHashes(head + 1)).parent_hash,
    after.block_hash,
  );
  await stoa.control("sim_resume");
});
