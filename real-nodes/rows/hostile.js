// Strangers, and contracts that get other code.
import assert from "node:assert/strict";
import { LARGEST, call } from "../market.js";
import { quote } from "../trading.js";

const source = async (stoa, wanted) => (await stoa.get("/swap/v3/sources")).find(({ name }) => name === wanted);
const classOf = async (stoa, venue, hash) => {
  const { classes } = await source(stoa, venue);
  return classes.find(({ classHash }) => BigInt(classHash) === BigInt(hash));
};
const poolsOf = async (stoa, venue) => (await stoa.get(`/v3/pools?venue=${venue}&size=100`)).content;

const extremes = {
  name: "extreme amounts",
  asserts: "a stranger's pool with positions and swaps of up to 2¹²⁸ − 1 units of both signs switches no other pool off, and quotes go on",
  async run({ stoa, market, devnet }) {
    const stranger = devnet.accounts[3];
    const before = (await source(stoa, "Ekubo")).tradablePools;
    const [one, other] = [await market.token("Strange", "ODD", 18), await market.token("Stranger", "ODDER", 18)];
    // As much as there can be of each.
    await devnet.execute([one, other].map(({ address }) => call(address, "mint", [stranger.address, LARGEST, 0])));
    const pool = await market.openPool([one, other], 100, 0n);
    const ratio = async () => {
      const [low, high] = await devnet.view(market.core, "get_pool_price", pool.key);
      return BigInt(low) + (BigInt(high) << 128n);
    };
    // Both signs of the largest amount, each stopped by its limit.
    const near = 2n ** 90n;
    await market.swapInPool(pool, 1, LARGEST, { limit: (await ratio()) + near, account: stranger });
    await market.swapInPool(pool, 1, -LARGEST, { limit: (await ratio()) - near, account: stranger });
    // A position beside the price that takes nine times 2^124 of one token.
    const edge = (pool.tick / 1_000n) * 1_000n;
    const bounds = pool.tick > 0n ? [0n, edge - 2_000n] : [edge + 2_000n, 0n];
    await market.provide(pool, bounds, 2n ** 124n, stranger);
    await stoa.serves(devnet);
    const { tradablePools } = await source(stoa, "Ekubo");
    const ours = (await poolsOf(stoa, "Ekubo")).filter(({ token0, token1 }) => {
      return ![one, other].some(({ address }) => [token0, token1].some((it) => BigInt(it.address) === BigInt(address)));
    });
    assert.equal(ours.length, 2);
    assert.ok(ours.every(({ tradable }) => tradable), JSON.stringify(ours.map(({ reason }) => reason)));
    const [dollar, ether] = market.tokens;
    assert.ok(await quote(stoa, "Ekubo", ether, dollar, { sellAmount: ether.whole }));
    assert.equal((await classOf(stoa, "Ekubo", market.hashes.core)).verdict, "learned");
    return `${before} tradable Ekubo pools before, ${tradablePools} after; the class is still learned`;
  },
};

const silent = {
  name: "silent replacement",
  asserts: "a pair that gets other code without an event is off in that very block, the other pair stays on",
  async run({ stoa, market, devnet }) {
    const [kept, changed] = market.pairs;
    await stoa.serves(devnet);
    const replace = call(changed.address, "replace_implementation_class", [market.hashes.generousPair]);
    const { block_number, events } = await devnet.execute([replace]);
    const own = events.filter(({ from_address }) => BigInt(from_address) === BigInt(changed.address));
    assert.equal(own.length, 0, "the pair said something");
    const head = await stoa.serves(devnet);
    assert.equal(head.block_number, block_number);
    const pools = await poolsOf(stoa, "JediSwap");
    const by = (pair) => pools.find(({ address }) => BigInt(address) === BigInt(pair.address));
    assert.equal(by(kept).tradable, true);
    assert.equal(by(changed).tradable, false);
    return `block ${block_number}: ${by(changed).reason}`;
  },
};

const refuted = {
  name: "refuted class",
  asserts: "one swap that pays more than the rule says refutes the class of the replaced pair for good, and no other",
  async run({ stoa, market, devnet }) {
    const [, changed] = market.pairs;
    const reserves = await market.reserves(changed);
    await market.sellToPair(changed, 0, reserves[0] / 100n, 999n);
    await stoa.serves(devnet);
    const found = await classOf(stoa, "JediSwap", market.hashes.generousPair);
    assert.equal(found?.verdict, "refuted");
    assert.equal((await classOf(stoa, "JediSwap", market.hashes.pair)).verdict, "learned");
    assert.ok((await stoa.metric('stoa_class_mismatches_total{venue="JediSwap"}')) >= 1, "not counted");
    return `the replaced pair's class is ${found.verdict}, the other one learned`;
  },
};

const replaced = {
  name: "ClassHashReplaced",
  asserts: "a core that becomes another class switches all its pools off in that very block; eight swaps each way prove the other rounding, and they are on again",
  async run({ stoa, market, devnet }) {
    await stoa.serves(devnet);
    const [dollar, ether] = market.tokens;
    const replace = call(market.core, "replace_class_hash", [market.hashes.olderCore]);
    const { block_number } = await devnet.execute([replace]);
    await stoa.serves(devnet);
    assert.equal((await source(stoa, "Ekubo")).tradablePools, 0);
    const order = { sellAmount: ether.whole };
    assert.equal(await quote(stoa, "Ekubo", ether, dollar, order), undefined);
    await market.trade(8, { pairs: [] });
    await stoa.serves(devnet);
    const { verdict, rule } = await classOf(stoa, "Ekubo", market.hashes.olderCore);
    assert.deepEqual([verdict, rule], ["learned", "ekubo_older"]);
    assert.ok(await quote(stoa, "Ekubo", ether, dollar, order));
    return `0 tradable in block ${block_number}; then ${rule} was learned, ${(await source(stoa, "Ekubo")).tradablePools} tradable`;
  },
};

export const rows = [extremes, silent, refuted, replaced];
