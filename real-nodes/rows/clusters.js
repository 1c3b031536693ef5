// What Solana nodes and the program do to each other: restarts of either, and a node
// of another cluster.
import assert from "node:assert/strict";
import { startCluster } from "../cluster.js";
import { refusal, startLeasing, until } from "../stoa.js";

const standing = ({ stoa }) => stoa.chain("solana");
const told = (market) => async () => JSON.stringify(await standing(market));

const program = {
  name: "program restarted",
  asserts: "what is paid while the program is killed is settled once it is started again",
  async run({ market, cluster }) {
    const { lease_id, payment } = await market.bookAhead();
    const instructions = await market.instructions(payment);
    await market.stoa.kill();
    const signature = await cluster.send(instructions, market.wallets.trader);
    const { slot } = await cluster.final(signature);
    await market.start();
    const { settled_signature } = await market.isActive(lease_id);
    assert.equal(settled_signature, signature);
    return `paid in slot ${slot}, active after the start`;
  },
};

const node = {
  name: "Solana node restarted",
  asserts: "a node that is killed makes the market unready, and wallets get a refusal with a text; once it goes on with its chain the market is ready, and what was booked before can be paid",
  async run({ market, cluster }) {
    const { lease_id, payment } = await market.bookAhead();
    await cluster.kill();
    const isReady = async () => (await standing(market)).ready;
    await until("the market is unready", async () => !(await isReady()), told(market));
    const { problem } = await standing(market);
    const { status, message } = await follow(market, payment);
    assert.ok(status >= 500, `${status}`);
    assert.equal(typeof message, "string");
    await cluster.start();
    await until("the market is ready", isReady, told(market), 120_000);
    await market.pay(payment);
    await market.isActive(lease_id);
    return `unready: ${problem}; wallets got ${status}, "${message}"; then ready, paid and active`;
  },
};

// What a wallet is answered that follows a link.
async function follow({ wallets }, { solana_pay_url }) {
  const body = JSON.stringify({ account: wallets.trader.address });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(solana_pay_url.replace(/^solana:/, ""), { method: "POST", headers, body });
  return { status: answer.status, ...(await answer.json()) };
}

const shown = (line) => line.replace(/http:\S+?(?=,? )/g, "NODE").replace(/sqlite:\S+/, "STORE");

// The last row: it leaves the market without its node.
const wrong = {
  name: "wrong cluster",
  asserts: "a node of another cluster behind the address of the right one makes the market unready, with the reason, and wallets get a refusal; when the right one is back, what was booked can be paid; a start with such a node is refused in one line, by the pinned genesis and by the ledger's",
  async run({ market, cluster }) {
    const { lease_id, payment } = await market.bookAhead();
    await cluster.kill();
    const other = await startCluster(cluster);
    try {
      assert.notEqual(other.genesis, cluster.genesis);
      const isForeign = async () => (await standing(market)).problem === "the node is of another cluster";
      await until("the market is unready", isForeign, told(market));
      const { status } = await follow(market, payment);
      assert.ok(status >= 500, `${status}`);
      const pinned = { ...market.settings, STOA__SOLANA__GENESIS: cluster.genesis };
      const node = await refusal(() => startLeasing(other.url, { settings: pinned }));
      await other.kill();
      await cluster.start();
      await until("the market is ready", async () => (await standing(market)).ready, told(market), 120_000);
      await market.pay(payment);
      await market.isActive(lease_id);
      await cluster.kill();
      await other.start();
      assert.equal(await market.stoa.kill("SIGTERM"), 0);
      const ledger = await refusal(() => startLeasing(other.url, { settings: market.settings, folder: market.stoa.folder }));
      return `unready, and ${status} for wallets; then paid and active; ${shown(node)}; ${shown(ledger)}`;
    } finally {
      await other.stop();
    }
  },
};

export const rows = [program, node, wrong];
