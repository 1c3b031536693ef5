// What nodes and processes do to each other: forks, restarts, nodes that are slow,
// late, forgetful or of another chain.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { startDevnet } from "../devnet.js";
import { STRK } from "../market.js";
import { startProxy } from "../proxy.js";
import { refusal, startStoa, until } from "../stoa.js";

// What a Stoa that reads the whole chain now says of it, as a digest.
async function afresh({ start, market, devnet }) {
  const stoa = await start(devnet.url, market);
  await stoa.serves(devnet);
  const { digest } = await stoa.chain();
  await stoa.stop();
  return digest;
}

const restart = {
  name: "restarts",
  asserts: "killed and started again, Stoa says the same of the same block, and takes the next one",
  async run(world) {
    const { stoa, market, devnet } = world;
    await stoa.serves(devnet);
    const before = await stoa.chain();
    await stoa.kill();
    world.started.delete(stoa);
    await market.trade(1, { pools: [] });
    world.stoa = await world.start(devnet.url, market, { folder: stoa.folder, settings: market.keys });
    const head = await world.stoa.serves(devnet);
    const { digest } = await world.stoa.chain();
    assert.equal(digest, await afresh(world));
    assert.notEqual(digest, before.digest);
    return `killed at block ${before.blockNumber}, at block ${head.block_number} the digest is that of a first start`;
  },
};

// Takes the newest blocks away and lets others take their place.
async function fork(world, count, replacing) {
  const { stoa, devnet } = world;
  const head = await stoa.serves(devnet);
  const from = head.block_number - count + 1;
  await devnet.ask("devnet_abortBlocks", { starting_block_id: { block_number: from } });
  await replacing();
  const { block_number, block_hash } = await devnet.head();
  await stoa.serves(devnet);
  const { digest } = await stoa.chain();
  assert.equal(digest, await afresh(world), "not what a first start says");
  return { before: head, after: { block_number, block_hash } };
}

const forked = {
  name: "reorganisation",
  asserts: "blocks that `devnet_abortBlocks` takes back and others replace leave nothing: the digest is that of a first start",
  async run(world) {
    const { market, devnet } = world;
    await market.trade(1, { pools: [] });
    const { before, after } = await fork(world, 3, async () => {
      // The devnet's hashes tell how many transactions a block has, and nothing of them.
      await devnet.ask("devnet_createBlock");
      await market.trade(1, { pairs: [] });
    });
    assert.notEqual(before.block_hash, after.block_hash);
    const reorganisations = await world.stoa.metric("stoa_indexer_reorgs_total");
    assert.ok(reorganisations >= 1, "not counted");
    return `3 of ${before.block_number} blocks replaced, up to block ${after.block_number}`;
  },
};

const disguised = {
  name: "reorganisation, equal hashes",
  asserts: "a block with hash and time of the one that it replaces, and other content, is noticed: the digest is that of a first start",
  async run(world) {
    const { market, devnet, stoa } = world;
    const [pair] = market.pairs;
    const { timestamp } = await devnet.ask("starknet_getBlockWithTxHashes", { block_id: "latest" });
    const time = timestamp + 600;
    const trade = async (part) => {
      await devnet.ask("devnet_setTime", { time, generate_block: false });
      await market.sellToPair(pair, 0, (await market.reserves(pair))[0] / part);
      return devnet.head();
    };
    const first = await trade(500n);
    await stoa.serves(devnet);
    const { digest } = await stoa.chain();
    await devnet.ask("devnet_abortBlocks", { starting_block_id: { block_number: first.block_number } });
    const second = await trade(900n);
    const expected = await afresh(world);
    assert.notEqual(expected, digest, "the fork has the same content");
    await until("the fork is noticed", async () => (await stoa.chain()).digest === expected, async () => JSON.stringify(await stoa.chain()));
    assert.equal(second.block_hash, first.block_hash);
    return `block ${second.block_number} with other content, the same hash and the same time`;
  },
};

const slow = {
  name: "slow node",
  asserts: "a node that takes 700 ms for each answer is followed to its head",
  async run({ start, market, devnet }) {
    const proxy = await startProxy(devnet.url, { delayMs: 700 });
    const stoa = await start(proxy.url, market);
    const begun = Date.now();
    const head = await stoa.serves(devnet);
    const seconds = (Date.now() - begun) / 1_000;
    await stoa.stop();
    proxy.stop();
    return `${head.block_number + 1} blocks in ${seconds.toFixed(0)} s`;
  },
};

const lagging = {
  name: "lagging node",
  asserts: "a node that falls below the newest block that is served makes the service unready within a quarter of a minute, and nothing is taken back",
  async run({ start, market, devnet }) {
    const proxy = await startProxy(devnet.url);
    const stoa = await start(proxy.url, market);
    const head = await stoa.serves(devnet);
    proxy.manner.behind = 5;
    await until("it is unready", async () => !(await stoa.chain()).ready, undefined, 25_000);
    const { problem, blockNumber } = await stoa.chain();
    assert.equal(problem, "the node is below the newest block that is served");
    assert.equal(blockNumber, head.block_number);
    proxy.manner.behind = 0;
    await until("it is ready", async () => (await stoa.chain()).ready);
    await stoa.stop();
    proxy.stop();
    return `"${problem}" at block ${blockNumber}; ready again once the node is there`;
  },
};

const pruned = {
  name: "pruned node",
  asserts: "a node that does not keep the state of the blocks to be indexed makes the service unready with the reason, lists no token as refused, and one that keeps it heals that",
  async run({ start, market, devnet }) {
    const proxy = await startProxy(devnet.url, { keeps: 3 });
    const stoa = await start(proxy.url, market);
    await sleep(8_000);
    const chain = await stoa.chain();
    assert.equal(chain.ready, false);
    const said = JSON.stringify(chain);
    assert.match(said, /not kept/);
    delete proxy.manner.keeps;
    await stoa.serves(devnet);
    const { content } = await stoa.get("/v1/starknet/tokens?size=100");
    assert.ok(content.length >= market.tokens.length);
    await stoa.stop();
    proxy.stop();
    return `not ready: ${chain.problem}; with its state kept, ${content.length} tokens`;
  },
};

const untakeable = {
  name: "blocks that cannot be taken",
  asserts: "a devnet without an archive leaves a new Stoa unready; a node whose newest block lacks events leaves one unready that is a block behind, after 30 s and with the reason, and ready again with the whole block",
  async run({ start, market, devnet }) {
    const bare = await startDevnet({ archive: "none" });
    await bare.execute([{ contractAddress: STRK, entrypoint: "transfer", calldata: [bare.accounts[1].address, "0x1", "0x0"] }]);
    for (let block = 0; block < 3; block++) await bare.ask("devnet_createBlock");
    const first = await start(bare.url, market);
    const proxy = await startProxy(devnet.url);
    const stoa = await start(proxy.url, market);
    await stoa.serves(devnet);
    proxy.manner.losesEvents = true;
    await market.sellToPair(market.pairs[0], 0, (await market.reserves(market.pairs[0]))[0] / 1_000n);
    const isUnready = async () => !(await stoa.chain()).ready;
    await until("it is unready", isUnready, async () => JSON.stringify(await stoa.chain()), 60_000);
    const { problem, lagBlocks } = await stoa.chain();
    assert.equal(problem, "the chain's newest blocks cannot be taken up");
    const { ready, problem: other, blockNumber } = await first.chain();
    const head = await bare.head();
    assert.equal(ready, blockNumber === head.block_number, other);
    delete proxy.manner.losesEvents;
    await until("it is ready", async () => (await stoa.chain()).ready);
    for (const part of [first, stoa, bare, proxy]) await part.stop();
    const without = ready ? "all blocks were taken" : `not ready, ${other}`;
    return `without an archive: ${without}; with events missing: not ready at a lag of ${lagBlocks}, ${problem}`;
  },
};

const restarted = {
  name: "restarted devnet",
  asserts: "a chain that begins anew from the same first block (`devnet_restart`) makes the service unready while it is shorter and the same, and is followed once it has blocks of its own: the digest is that of a first start",
  async run({ start, market }) {
    const devnet = await startDevnet();
    const pay = (amount) => devnet.execute([{ contractAddress: STRK, entrypoint: "transfer", calldata: [devnet.accounts[1].address, amount, "0x0"] }]);
    for (let block = 0; block < 4; block++) await pay("0x1");
    const stoa = await start(devnet.url, market);
    const { block_number } = await stoa.serves(devnet);
    await devnet.ask("devnet_restart");
    await devnet.open();
    await until("it is unready", async () => !(await stoa.chain()).ready, async () => JSON.stringify(await stoa.chain()));
    const { problem } = await stoa.chain();
    await pay("0x2");
    await pay("0x3");
    const head = await stoa.serves(devnet);
    const other = await start(devnet.url, market);
    await other.serves(devnet);
    assert.equal((await stoa.chain()).digest, (await other.chain()).digest);
    for (const part of [stoa, other, devnet]) await part.stop();
    return `at block ${block_number}: ${problem}; then block ${head.block_number} is served, as by a first start`;
  },
};

const wrong = {
  name: "wrong chain",
  asserts: "a node of another chain is refused in one line, and so is a store of another chain",
  async run({ market, devnet, stoa }) {
    const other = await startDevnet({ chainId: "SN_ANOTHER" });
    const refused = async (url, named, options) => {
      const said = await refusal(() => startStoa(url, named, options));
      return said.replace(/http:\S+?:(?= )/, "NODE:").replace(/sqlite:\S+/, "STORE");
    };
    const node = await refused(other.url, market);
    const { anchors, venues, exchange } = market;
    const named = { chainId: "SN_ANOTHER", anchors, venues, exchange };
    await stoa.serves(devnet);
    const status = await stoa.kill("SIGTERM");
    assert.equal(status, 0);
    const store = await refused(other.url, named, { folder: stoa.folder });
    await other.stop();
    return `${node}; ${store}`;
  },
};

export const rows = [restart, forked, disguised, slow, lagging, pruned, untakeable, restarted, wrong];
