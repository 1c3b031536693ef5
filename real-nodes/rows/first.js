// A first start: tokens, pools, and what makes them tradable.
import assert from "node:assert/strict";
import { paid, portion } from "../market.js";
import { quote } from "../trading.js";

const same = (one, other) => BigInt(one) === BigInt(other);

const metadata = {
  name: "metadata",
  asserts: "names, symbols and decimals of three tokens are what their contracts say",
  isGround: true,
  async run({ stoa, market }) {
    const { content } = await stoa.get("/v1/starknet/tokens?size=100");
    for (const token of market.tokens) {
      const listed = content.find(({ address }) => same(address, token.address));
      assert.ok(listed, `${token.symbol} is not listed`);
      assert.deepEqual([listed.name, listed.symbol, listed.decimals], [token.name, token.symbol, token.decimals]);
    }
    return `${market.tokens.map(({ symbol }) => symbol).join(", ")} as deployed; ${content.length} tokens listed`;
  },
};

const unlearned = {
  name: "unlearned classes",
  asserts: "before any swap every pool is followed, none is tradable, and the reason is told",
  isGround: true,
  async run({ stoa, market }) {
    const { pools } = await stoa.chain();
    assert.equal(pools.total, market.poolCount);
    assert.equal(pools.tradable, 0);
    assert.match(pools.summary, /too few swaps were seen/);
    const [dollar, ether] = market.tokens;
    assert.equal(await quote(stoa, "JediSwap", ether, dollar, { sellAmount: ether.whole }), undefined);
    return pools.summary;
  },
};

const learned = {
  name: "learned classes",
  asserts: "eight swaps in each direction, replayed to the unit, and eight deposits make all three classes learned and all pools tradable",
  isGround: true,
  async run({ stoa, market, devnet }) {
    await market.trade(8);
    await stoa.serves(devnet);
    const sources = await stoa.get("/swap/v3/sources");
    const verdicts = sources.map(({ name, classes: [only] }) => [name, only.verdict, only.rule]);
    assert.deepEqual(verdicts.sort(), [["Ekubo", "learned", "ekubo_exact"], ["Endur", "learned", "usual"], ["JediSwap", "learned", "usual"]]);
    const { pools } = await stoa.chain();
    assert.equal(pools.tradable, market.poolCount, pools.summary);
    return `${verdicts.map((it) => it.join(" ")).join(", ")}; ${pools.summary}`;
  },
};

// A sale to each pool that begins with the token, on one venue.
const sales = ({ tokens: [dollar, ether, coin], vault }) => [
  ["JediSwap", ether, dollar],
  ["JediSwap", dollar, ether],
  ["JediSwap", coin, ether],
  ["Ekubo", dollar, ether],
  ["Ekubo", ether, dollar],
  ["Ekubo", coin, dollar],
  ["Endur", ether, vault],
];

const views = {
  name: "pools equal to views",
  asserts: "quotes on pairs are x·y = k on what `get_reserves` says; a second Stoa, which takes all pools over from views at the newest block, quotes the same on every pool",
  async run({ start, stoa, market, devnet }) {
    for (const pair of market.pairs) {
      const reserves = await market.reserves(pair);
      for (const side of [0, 1]) {
        const [sell, buy] = side === 0 ? pair.tokens : [...pair.tokens].reverse();
        const amount = reserves[side] / 777n;
        const quoted = await quote(stoa, "JediSwap", sell, buy, { sellAmount: amount, onlyDirect: true });
        const [swap] = quoted.swaps;
        const expected = paid(reserves[side], reserves[1 - side], BigInt(swap.sellAmount), 997n);
        assert.equal(BigInt(swap.buyAmount), expected);
      }
    }
    const head = await stoa.serves(devnet);
    const settings = { STOA__STARKNET__START_BLOCK: `${head.block_number}` };
    const venues = await learnedVenues(stoa, market);
    const { chainId, anchors, exchange } = market;
    const named = { chainId, anchors, exchange, venues };
    const taken = await start(devnet.url, named, { settings });
    await taken.serves(devnet);
    let compared = 0;
    for (const [venue, sell, buy] of sales(market)) {
      for (const part of [1n, 100n, 1_000n]) {
        const order = { sellAmount: (portion(sell) * part) / 100n };
        const [one, other] = [await quote(stoa, venue, sell, buy, order), await quote(taken, venue, sell, buy, order)];
        assert.ok(one && other, `${venue} ${sell.symbol} ${part}: ${!one} ${!other}`);
        assert.deepEqual(other.swaps, one.swaps);
        compared += 1;
      }
    }
    return `4 quotes equal to the formula; ${compared} quotes equal to those of pools taken over at block ${head.block_number}`;
  },
};

// The list of venues with what the first Stoa has learned.
async function learnedVenues(stoa, market) {
  const sources = await stoa.get("/swap/v3/sources");
  return market.venues.map((venue) => {
    const { classes } = sources.find(({ name }) => name === venue.name);
    return { ...venue, classes: Object.fromEntries(classes.map(({ classHash, rule }) => [classHash, rule])) };
  });
}

const SALES = [1_000n, 10_000n, 3_000n];

const candles = {
  name: "candles",
  asserts: "sales of 1,000, 10,000 and 3,000 dollars in a minute each are three candles of RETH, whose volume is what the pair paid at the price of the block before, within 10⁻⁶; each opens where the one before closed; the last close is within 1 % of what the pair's contract says",
  async run({ stoa, market, devnet }) {
    const [dollar, ether] = market.tokens;
    const [pair] = market.pairs;
    const side = pair.tokens.indexOf(ether);
    const made = [];
    for (const sold of SALES) {
      await devnet.ask("devnet_increaseTime", { time: 60 });
      const before = (await market.reserves(pair))[side];
      await market.sellToPair(pair, 1 - side, sold * dollar.whole);
      const bought = Number(before - (await market.reserves(pair))[side]) / Number(ether.whole);
      const { timestamp } = await devnet.ask("starknet_getBlockWithTxHashes", { block_id: "latest" });
      made.push({ bought, minute: timestamp - (timestamp % 60) });
    }
    await stoa.serves(devnet);
    const startDate = new Date((made[0].minute - 60) * 1_000).toISOString();
    const all = await stoa.get(`/v3/tokens/${ether.address}/prices/candle?resolution=1&startDate=${startDate}`);
    all.slice(1).forEach((candle, index) => assert.equal(candle.open, all[index].close));
    const volumes = made.map(({ bought, minute }) => {
      const { open, volume } = all.find(({ date }) => Date.parse(date) === minute * 1_000);
      assert.ok(Math.abs(volume / (bought * open) - 1) < 1e-6, `${volume} is not ${bought * open}`);
      return volume.toFixed(2);
    });
    const reserves = await market.reserves(pair);
    const spot = Number(reserves[1 - side]) / Number(dollar.whole) / (Number(reserves[side]) / Number(ether.whole));
    const { close } = all.at(-1);
    assert.ok(Math.abs(close / spot - 1) < 0.01, `${close} is not ${spot}`);
    return `volumes ${volumes.join(", ")} USD; close ${close.toFixed(2)}, the pair says ${spot.toFixed(2)}`;
  },
};

export const rows = [metadata, unlearned, learned, views, candles];
