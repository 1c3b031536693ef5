// Files of series and trades, read by others than those who wrote them, and the
// data feed of charts, asked as the charting library's adapter asks it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parquetReadObjects } from "hyparquet";
import { startStoa } from "./stoa.js";

let stoa;
let token;

before(async () => {
  stoa = await startStoa();
  token = (await json("/v1/starknet/tokens/ETH")).address;
});

after(() => stoa?.stop());

const get = async (path) => {
  const answer = await fetch(`${stoa.api}${path}`);
  assert.equal(answer.status, 200, path);
  return answer;
};
const json = async (path) => (await get(path)).json();
const parquet = async (path) => parquetReadObjects({ file: await (await get(path)).arrayBuffer() });

test("a Parquet file of candles says what the JSON says", async () => {
  // What has ended does not change between two questions.
  const end = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000).toISOString();
  const path = `/v3/tokens/${token}/prices/candle?resolution=1H&endDate=${end}`;
  const candles = await json(path);
  const rows = await parquet(`${path}&format=parquet`);
  assert.ok(rows.length > 10);
  assert.deepEqual(
    rows.map(({ date, ...row }) => ({ date: date.toISOString().replace(".000Z", "Z"), ...row })),
    candles,
  );
});

test("a Parquet file of trades has the trades of all pages", async () => {
  const newest = (await json(`/v3/tokens/${token}/trades?limit=1`)).content[0];
  const path = `/v3/tokens/${token}/trades?to=${newest.timestamp}`;
  const { content } = await json(`${path}&limit=200`);
  const rows = await parquet(`${path}&format=parquet`);
  assert.ok(rows.length >= content.length && content.length > 0);
  content.forEach((trade, place) => {
    const { blockNumber, timestamp, ...row } = rows[place];
    const told = { blockNumber: Number(blockNumber), timestamp: timestamp.toISOString().replace(".000Z", "Z"), ...row };
    assert.deepEqual(told, trade);
  });
});

test("a chart finds its symbol, its bars, and where they end", async () => {
  const feed = async (path, params = {}) => {
    const answer = await fetch(`${stoa.api}/udf/${path}?${new URLSearchParams(params)}`);
    return JSON.parse(await answer.text());
  };
  const config = await feed("config");
  assert.ok(config.supports_search && !config.supports_group_request);
  const [found] = await feed("search", { query: "ETH", type: "", exchange: "", limit: 30 });
  const symbol = await feed("symbols", { symbol: found.ticker });
  assert.equal(symbol.s, undefined);
  assert.equal(symbol.ticker, token);
  const now = await feed("time");
  const bars = await feed("history", {
    symbol: symbol.ticker, resolution: "60", from: now - 36_000, to: now, countback: 5,
  });
  assert.equal(bars.s, "ok");
  for (const column of ["t", "o", "h", "l", "c", "v"]) assert.equal(bars[column].length, 5);
  assert.ok(bars.t.every((time) => time % 3_600 === 0 && time < now));
  const before = await feed("history", { symbol: token, resolution: "1D", from: 0, to: 86_400 });
  assert.deepEqual(before, { s: "no_data" });
  const unknown = await feed("symbols", { symbol: "nobody" });
  assert.equal(unknown.s, "error");
});
