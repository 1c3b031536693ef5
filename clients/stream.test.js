// The published EventSource client on both streams: what arrives, what is told to
// those who come back, and that a restart is survived.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EventSource } from "eventsource";
import { startStoa, until } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const KINDS = ["block", "reorganisation", "prices", "candle", "lease"];

let stoa;
before(async () => {
  stoa = await startStoa("--no-rate-limit");
  // Blocks come when a test says so.
  await stoa.control("sim_pause");
});
after(async () => assert.equal(await stoa.stop(), 0));

// Everything that a stream tells.
function listen(path, init, { api } = stoa) {
  const source = new EventSource(`${api}${path}`, init);
  const events = [];
  for (const name of KINDS) {
    source.addEventListener(name, ({ data, lastEventId }) =>
      events.push({ name, id: lastEventId, ...JSON.parse(data) }),
    );
  }
  const told = (what, isIt) => until(what, () => events.some(isIt)).then(() => events.find(isIt));
  const blocks = () => events.filter(({ name }) => name === "block").map(({ number }) => number);
  return { source, events, told, blocks };
}

const isBlock = (number) => (event) => event.name === "block" && event.number === number;

describe("the stream of the market", () => {
  test("a block arrives with prices and candles", async () => {
    const stream = listen(`/v3/stream?tokens=${ETH}&series=${ETH}:1H`);
    const first = await stream.told("a first block", ({ name }) => name === "block");
    const { prices } = await stream.told("prices", ({ name }) => name === "prices");
    assert.equal(prices[0].address, ETH);
    assert.ok(prices[0].priceUsd > 0);
    const { candle } = await stream.told("a candle", ({ name }) => name === "candle");
    const path = `/v3/tokens/${ETH}/prices/candle?resolution=1H`;
    const candles = await (await fetch(`${stoa.api}${path}`)).json();
    assert.deepEqual(candle, candles.find(({ date }) => date === candle.date));
    await stoa.control("sim_mine", { blocks: 2 });
    const next = await stream.told("the second new block", isBlock(first.number + 2));
    assert.equal(next.id, `${next.number}-${next.hash}`);
    assert.deepEqual(stream.blocks(), [first.number, first.number + 1, first.number + 2]);
    stream.source.close();
  });

  test("a reorganisation arrives before the blocks that follow it", async () => {
    const stream = listen("/v3/stream");
    const first = await stream.told("a first block", ({ name }) => name === "block");
    await stoa.control("sim_mine", { blocks: 3 });
    const kept = await stream.told("the first new block", isBlock(first.number + 1));
    await stream.told("the last one", isBlock(first.number + 3));
    await stoa.control("sim_reorg", { depth: 2 });
    const { number, hash, depth } = await stream.told("it", ({ name }) => name === "reorganisation");
    assert.deepEqual({ number, hash, depth }, { number: kept.number, hash: kept.hash, depth: 2 });
    await stream.told("what follows", isBlock(first.number + 4));
    const at = stream.events.findIndex(({ name }) => name === "reorganisation");
    const after = stream.events.slice(at + 1).filter(({ name }) => name === "block");
    assert.deepEqual(after.map((block) => block.number), [2, 3, 4].map((more) => first.number + more));
    stream.source.close();
  });

  test("who comes back is told what was missed", async () => {
    const stream = listen("/v3/stream");
    const first = await stream.told("a first block", ({ name }) => name === "block");
    stream.source.close();
    await stoa.control("sim_mine", { blocks: 4 });
    const headers = { "last-event-id": first.id };
    const withId = (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } });
    const again = listen("/v3/stream", { fetch: withId });
    await again.told("the newest block", isBlock(first.number + 4));
    assert.deepEqual(again.blocks(), [1, 2, 3, 4].map((more) => first.number + more));
    again.source.close();
  });

  test("a replica that only serves tells the same", async () => {
    const replica = await stoa.replica("--no-rate-limit");
    const stream = listen("/v3/stream", {}, replica);
    const first = await stream.told("a first block", ({ name }) => name === "block");
    await stoa.control("sim_mine", { blocks: 2 });
    await stream.told("both new blocks", isBlock(first.number + 2));
    await stoa.control("sim_reorg", { depth: 1 });
    const { number, depth } = await stream.told("it", ({ name }) => name === "reorganisation");
    assert.deepEqual({ number, depth }, { number: first.number + 1, depth: 1 });
    await stream.told("what follows", isBlock(first.number + 3));
    stream.source.close();
    assert.equal(await replica.stop(), 0);
  });

  test("a restart is survived without a missed block", async () => {
    const stream = listen("/v3/stream");
    const first = await stream.told("a first block", ({ name }) => name === "block");
    stoa = await stoa.restart();
    await stoa.control("sim_pause");
    await stoa.control("sim_mine", { blocks: 3 });
    await stream.told("a block of the new process", isBlock(first.number + 3));
    const numbers = stream.blocks();
    assert.deepEqual(numbers, numbers.map((_, place) => first.number + place));
    stream.source.close();
  });
});

describe("the stream of leases", () => {
  const ticket = async () => {
    const headers = { authorization: "Bearer demo-trader-token" };
    const answer = await fetch(`${stoa.api}/v1/stream-tickets`, { method: "POST", headers });
    assert.equal(answer.status, 201);
    return (await answer.json()).data.ticket;
  };

  test("a ticket opens it once", async () => {
    const path = `/v1/stream?ticket=${await ticket()}`;
    const stream = listen(path);
    await until("it is open", () => stream.source.readyState === EventSource.OPEN);
    const again = await fetch(`${stoa.api}${path}`);
    assert.equal(again.status, 401);
    assert.match((await again.json()).type, /\/auth-required$/);
    stream.source.close();
  });
});
