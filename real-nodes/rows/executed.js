// Quotes that are executed on the node.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { portion } from "../market.js";
import { execute, quote } from "../trading.js";

const COUNT = 50;
// The exchange's receipts are read every ten seconds.
const FITTED_AFTER = 20;
const FITTING_MS = 11_000;
const MAX_GAS_ERROR = 0.2;

const fees = { Ekubo: [], JediSwap: [], Endur: [] };

const executions = (venue, pairs) => ({
  name: `executed quotes, ${venue}`,
  asserts: `${COUNT} quotes on ${venue} alone, every second a purchase of an exact amount, execute with difference 0`,
  async run({ stoa, market, devnet }) {
    const account = devnet.accounts[2];
    let [sales, purchases, hops] = [0, 0, 0];
    for (let number = 0; number < COUNT; number++) {
      if (number === FITTED_AFTER) await sleep(FITTING_MS);
      await stoa.serves(devnet);
      const tokens = [...market.tokens, market.vault];
      const [from, to] = pairs[number % pairs.length].map((index) => tokens[index]);
      const part = BigInt(1 + ((number * 7_919) % 4_000));
      const isSale = number % 2 === 0;
      const named = isSale ? from : to;
      const amount = (portion(named) * part) / 1_000n;
      const order = isSale ? { sellAmount: amount } : { buyAmount: amount };
      const quoted = await quote(stoa, venue, from, to, order);
      assert.ok(quoted, `no quote: ${from.symbol} to ${to.symbol}, ${amount}`);
      const { sold, bought, fee } = await execute(stoa, devnet, quoted, account);
      assert.deepEqual([sold, bought], [0n, 0n], `${from.symbol} to ${to.symbol}, ${JSON.stringify(order, (_, it) => `${it}`)}`);
      if (number >= FITTED_AFTER) fees[venue].push(Number(BigInt(quoted.gasFees)) / Number(fee));
      hops = Math.max(hops, quoted.swaps.length);
      isSale ? (sales += 1) : (purchases += 1);
    }
    return `${sales} sales and ${purchases} purchases, up to ${hops} swaps each, difference 0`;
  },
});

const gas = {
  name: "gas",
  asserts: "`gasFees` of every executed quote after the first twenty is within 20 % of the fee in its receipt",
  async run() {
    const said = Object.entries(fees).map(([venue, ratios]) => {
      assert.ok(ratios.length > 0, `no fee was seen on ${venue}`);
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
      return { venue, least, most };
    });
    const text = said.map(({ venue, least, most }) => `${venue} ${least.toFixed(3)} to ${most.toFixed(3)} of the fee`);
    for (const { least, most } of said) {
      assert.ok(least >= 1 - MAX_GAS_ERROR && most <= 1 + MAX_GAS_ERROR, text.join(", "));
    }
    return text.join(", ");
  },
};

export const rows = [
  executions("JediSwap", [[0, 1], [1, 0], [1, 2], [2, 1], [2, 0]]),
  executions("Ekubo", [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2]]),
  executions("Endur", [[1, 3]]),
  gas,
];
