// Both generations of the published aggregator SDK, unmodified, read the market
// data of a Stoa that speaks their dialect: the SDK checks every shape. A second
// process answers from the same store in the plain dialect.
import assert from "node:assert/strict";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before, describe, mock, test } from "node:test";
import { gunzipSync } from "node:zlib";
import * as sdk3 from "@avnu/avnu-sdk";
import * as sdk1 from "avnu-sdk-beta";
import { assertCandles, assertNear, assertUnbroken, bucketAfter, byExchange, fits, sum } from "./buckets.js";
import { GLOBAL, ITEMS, NETWORK, POINT, TAGS, TOKEN, UNCOUNTED, assertNames } from "./market-names.js";
import { startStoaWith } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const PADDED_ETH = "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const WBTC = "0x3fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac";

let stoa;
let options;
let head;
let headTime;
before(async () => {
  // One poll of the aggregator for the whole run, and days as the server has
  // them: the SDK names them by the local calendar.
  process.env.STOA__GLOBAL__INTERVAL = "5m";
  process.env.TZ = "UTC";
  // With few transactions some blocks are empty.
  const settings = { STOA__SIMNET__TRANSACTIONS_PER_BLOCK: "3" };
  stoa = await startStoaWith(settings, "--dialect", "avnu", "--no-rate-limit");
  options = { impulseBaseUrl: stoa.api };
  await stoa.knowsTheWiderMarket();
  await stopTime();
});
after(async () => {
  mock.timers.reset();
  assert.equal(await stoa.stop(), 0);
});

// The market's time is the newest block's while that is ahead of the clock, so
// that it stands still; the SDK, which asks up to now, is told the same time.
async function stopTime() {
  await stoa.control("sim_pause");
  for (let n = 0; n < 12; n++) head = await stoa.control("sim_advance", { seconds: 300 });
  const { timestamp } = await stoa.control("starknet_getBlockWithTxHashes", { block_id: "latest" });
  headTime = timestamp * 1000;
  await stoa.serves(head);
  // What begins at the end of a range is not part of it.
  mock.timers.enable({ apis: ["Date"], now: headTime + 1 });
}

const generations = [
  {
    name: "@avnu/avnu-sdk 4.0.1",
    sdk: sdk3,
    market: ({ starknet }) => ({ usd: starknet.usd, tvl: starknet.usdTvl, volume: starknet.usdVolume24h }),
    // The moment of TVL by exchange: now.
    now: {},
  },
  {
    name: "@avnu/avnu-sdk 4.0.0-beta.2",
    sdk: sdk1,
    market: ({ market }) => ({
      usd: market.currentPrice,
      tvl: market.starknetTvl,
      volume: market.starknetVolume24h,
    }),
    now: { dateRange: sdk1.FeedDateRange.ONE_DAY },
  },
];

for (const { name, sdk, market, now } of generations) {
  describe(name, () => {
    const { FeedDateRange, FeedResolution, PriceFeedType } = sdk;
    const ranges = Object.values(FeedDateRange);
    const resolutions = Object.values(FeedResolution);
    const feed = (dateRange, resolution) => ({ dateRange, resolution });
    const candles = (token, props, quote) =>
      sdk.getPriceFeed(token, { ...props, type: PriceFeedType.CANDLE }, quote, options);
    const line = (token, props, quote) =>
      sdk.getPriceFeed(token, { ...props, type: PriceFeedType.LINE }, quote, options);
    const record = (token) => sdk.getTokenMarketData(token, options);

    test("lists tokens, the largest TVL first", async () => {
      const tokens = await sdk.getMarketData(options);
      assert.ok(tokens.length >= 50, `${tokens.length} tokens`);
      tokens.forEach((token, index) => {
        const { usd, tvl, volume } = market(token);
        assert.ok(usd > 0 && tvl >= 0 && volume >= 0, token.symbol);
        if (index > 0) assert.ok(tvl <= market(tokens[index - 1]).tvl, token.symbol);
        if (sdk === sdk1) assert.equal(token.position, index + 1);
        const week = token.linePriceFeedInUsd;
        assertUnbroken(week, FeedResolution.HOURLY);
        assert.equal(week.at(-1).value, usd);
      });
      const [eth] = tokens;
      assert.equal(eth.address, ETH);
      assert.equal(eth.coingeckoId, "ethereum");
      assert.equal(eth.linePriceFeedInUsd.length, 7 * 24 + 1);
      assert.ok(market(eth).tvl > 0 && market(eth).volume > 0);
    });

    test("a token is told of as in the list", async () => {
      const tokens = await sdk.getMarketData(options);
      for (const token of tokens.slice(0, 8)) assert.deepEqual(await record(token.address), token);
      assert.deepEqual(await record(PADDED_ETH), tokens[0]);
    });

    test("every range has candles and a line at every resolution that fits", async () => {
      assert.equal(resolutions.length, 9);
      const { usd } = market(await record(ETH));
      for (const range of ranges) {
        for (const resolution of resolutions) {
          const props = feed(range, resolution);
          if (!fits(range, resolution)) {
            await assert.rejects(candles(ETH, props), /points, at most 5000 are answered; resolution \w+ would fit/);
            continue;
          }
          const bars = await candles(ETH, props);
          assertUnbroken(bars, resolution);
          assertCandles(bars);
          assert.equal(bars.at(-1).close, usd);
          const closes = bars.map(({ date, close }) => ({ date, value: close }));
          assert.deepEqual(await line(ETH, props), closes);
        }
      }
    });

    test("prices are quoted in other tokens", async () => {
      const { usd } = market(await record(ETH));
      for (const quote of [USDC, STRK, WBTC, PADDED_ETH]) {
        const { usd: quoteUsd } = market(await record(quote));
        for (const resolution of resolutions) {
          const props = feed(FeedDateRange.ONE_DAY, resolution);
          const bars = await candles(ETH, props, quote);
          assertUnbroken(bars, resolution);
          assertCandles(bars);
          assert.equal(bars.at(-1).close, usd / quoteUsd);
          const closes = bars.map(({ date, close }) => ({ date, value: close }));
          assert.deepEqual(await line(ETH, props, quote), closes);
        }
      }
    });

    test("a day's candle is what its hours say together", async () => {
      for (const token of [ETH, STRK, USDC]) {
        const hours = await candles(token, feed(FeedDateRange.ONE_WEEK, FeedResolution.HOURLY));
        // The range begins within the first day.
        const [, ...days] = await candles(token, feed(FeedDateRange.ONE_WEEK, FeedResolution.DAILY));
        for (const day of days) {
          const its = hours.filter(({ date }) => date.slice(0, 10) === day.date.slice(0, 10));
          assert.equal(day.open, its[0].open);
          assert.equal(day.close, its.at(-1).close);
          assert.equal(day.high, Math.max(...its.map(({ high }) => high)));
          assert.equal(day.low, Math.min(...its.map(({ low }) => low)));
          assertNear(sum(its.map(({ volume }) => volume)), day.volume);
        }
      }
    });

    test("volumes by exchange add up to those of the range", async () => {
      for (const range of ranges) {
        const totals = await sdk.getVolumeByExchange(ETH, { dateRange: range }, options);
        const days = byExchange(await sdk.getExchangeVolumeFeed(ETH, feed(range, FeedResolution.DAILY), options));
        assert.deepEqual(totals.map(({ exchange }) => exchange).sort(), [...days.keys()].sort());
        assert.ok(totals.length >= 2, `${totals.length} exchanges`);
        for (const { exchange, value } of totals) {
          const points = days.get(exchange);
          assertUnbroken(points, FeedResolution.DAILY);
          assertNear(sum(points.map((point) => point.value)), value);
        }
      }
    });

    test("the volume of a day is the sum of its minutes", async () => {
      const { volume } = market(await record(ETH));
      const minutes = feed(FeedDateRange.ONE_DAY, FeedResolution.ONE_MIN);
      const bars = await candles(ETH, minutes);
      assert.equal(bars.length, 24 * 60 + 1);
      assertNear(sum(bars.map((bar) => bar.volume)), volume);
    });

    test("volumes by exchange are there at every resolution", async () => {
      for (const resolution of resolutions) {
        const points = await sdk.getExchangeVolumeFeed(ETH, feed(FeedDateRange.ONE_DAY, resolution), options);
        for (const series of byExchange(points).values()) {
          assertUnbroken(series, resolution);
          assert.ok(series.every(({ value }) => value >= 0));
        }
        assert.ok(sum(points.map(({ value }) => value)) > 0);
      }
    });

    test("the TVL of all exchanges is the token's", async () => {
      for (const token of [ETH, STRK, WBTC]) {
        const points = await sdk.getTVLByExchange(token, now, options);
        assert.ok(points.every(({ value, valueUsd }) => value > 0 && valueUsd > 0));
        assert.equal(byExchange(points).size, points.length);
        assertNear(sum(points.map(({ valueUsd }) => valueUsd)), market(await record(token)).tvl);
      }
    });

    test("the newest TVL is that of now at every resolution", async () => {
      const current = byExchange(await sdk.getTVLByExchange(ETH, now, options));
      for (const resolution of resolutions) {
        const points = await sdk.getExchangeTVLFeed(ETH, feed(FeedDateRange.ONE_DAY, resolution), options);
        const series = byExchange(points);
        assert.deepEqual([...series.keys()].sort(), [...current.keys()].sort());
        for (const [exchange, [{ value, valueUsd }]] of current) {
          assertUnbroken(series.get(exchange), resolution);
          const newest = series.get(exchange).at(-1);
          assert.deepEqual([newest.value, newest.valueUsd], [value, valueUsd]);
        }
      }
    });

    test("transfers of hours add up to those of days", async () => {
      const hours = await sdk.getTransferVolumeFeed(ETH, feed(FeedDateRange.ONE_WEEK, FeedResolution.HOURLY), options);
      const days = await sdk.getTransferVolumeFeed(ETH, feed(FeedDateRange.ONE_WEEK, FeedResolution.DAILY), options);
      for (const day of days.slice(1)) {
        const its = hours.filter(({ date }) => date.slice(0, 10) === day.date.slice(0, 10));
        assertNear(sum(its.map(({ value }) => value)), day.value);
      }
      assert.ok(days.slice(1, -1).every(({ value }) => value > 0));
      for (const resolution of resolutions) {
        const points = await sdk.getTransferVolumeFeed(ETH, feed(FeedDateRange.ONE_DAY, resolution), options);
        assertUnbroken(points, resolution);
      }
    });

    test("prices of several tokens come as they were asked for", async () => {
      const asked = [WBTC, PADDED_ETH, USDC, STRK];
      const prices = await sdk.getPrices(asked, options);
      assert.deepEqual(prices.map(({ address }) => BigInt(address)), asked.map(BigInt));
      for (const { address, decimals, starknetMarket, globalMarket } of prices) {
        const token = await record(address);
        assert.equal(starknetMarket.usd, market(token).usd);
        assert.equal(decimals, token.decimals);
        assert.ok(Math.abs(globalMarket.usd / starknetMarket.usd - 1) < 0.2, address);
      }
    });

    test("prices are refused when too many or none are asked for", async () => {
      const many = (count) => sdk.getPrices(Array(count).fill(ETH), options);
      assert.equal((await many(50)).length, 1);
      await assert.rejects(many(51), /^Error: tokens must have 1 to 50 addresses, not 51$/);
      await assert.rejects(many(0), /^Error: tokens must have 1 to 50 addresses, not 0$/);
      await assert.rejects(sdk.getPrices(["ETH"], options), /^Error: tokens: "ETH" must begin with 0x$/);
      assert.deepEqual(await sdk.getPrices(["0xdead"], options), []);
    });

    // Every function that takes a token.
    const day = feed(FeedDateRange.ONE_DAY, FeedResolution.HOURLY);
    const series = {
      candles: (token, props) => candles(token, props),
      line: (token, props) => line(token, props),
      getExchangeVolumeFeed: (token, props) => sdk.getExchangeVolumeFeed(token, props, options),
      getExchangeTVLFeed: (token, props) => sdk.getExchangeTVLFeed(token, props, options),
      getTransferVolumeFeed: (token, props) => sdk.getTransferVolumeFeed(token, props, options),
    };
    const others = {
      getTokenMarketData: record,
      getVolumeByExchange: (token) => sdk.getVolumeByExchange(token, day, options),
      getTVLByExchange: (token) => sdk.getTVLByExchange(token, now, options),
    };

    test("an unknown token is not found, a malformed one refused", async () => {
      for (const ask of Object.values({ ...series, ...others })) {
        await assert.rejects(ask("0xdead", day), /^Error: 404 Not Found$/);
        await assert.rejects(ask("0xnothex", day), /tokenAddress "0xnothex".*hexadecimal/);
      }
    });

    test("an unknown resolution or quote is refused in words", async () => {
      for (const ask of Object.values(series)) {
        const resolution = /^Error: resolution must be one of 1, 5, 15, 1H, 4H, 1D, 1W, 1M, 1Y, not "2H"$/;
        await assert.rejects(ask(ETH, feed(FeedDateRange.ONE_DAY, "2H")), resolution);
      }
      for (const ask of [candles, line]) {
        await assert.rejects(ask(ETH, day, "0xdead"), /in must be USD or the address of a known token/);
      }
    });
  });
}

describe("@avnu/avnu-sdk 4.0.1 alone", () => {
  const { FeedDateRange, FeedResolution, getExchangeTVLFeed, getTVLByExchange } = sdk3;

  test("knows the TVL of a moment", async () => {
    const week = { dateRange: FeedDateRange.ONE_WEEK, resolution: FeedResolution.DAILY };
    const feed = await getExchangeTVLFeed(ETH, week, options);
    for (const [day, points] of Map.groupBy(feed, ({ date }) => date)) {
      // A moment that is not yet is now.
      const date = new Date(bucketAfter(day, FeedResolution.DAILY) - 1000);
      const moment = await getTVLByExchange(ETH, { date }, options);
      const figures = ({ exchange, value, valueUsd }) => ({ exchange, value, valueUsd });
      assert.deepEqual(moment.map(figures), points.map(figures));
      assert.ok(moment.every((point) => Date.parse(point.date) === Math.min(date, headTime)));
    }
    await assert.rejects(
      getTVLByExchange(ETH, { date: "2200-01-01" }, options),
      /^Error: date must be from 1970-01-01 to 2100-01-01/,
    );
  });

  test("sees null where no aggregator knows the token", async () => {
    const tokens = await sdk3.getMarketData(options);
    const unlisted = tokens.filter(({ coingeckoId }) => coingeckoId === null);
    assert.ok(unlisted.length > 0 && unlisted.every((token) => token.global === null));
    const [{ globalMarket }] = await sdk3.getPrices([unlisted[0].address], options);
    assert.equal(globalMarket, null);
    const known = tokens.filter((token) => token.global !== null);
    assert.ok(known.length > 0 && known.every((token) => token.global.usdMarketCap > 0));
  });
});

const DAY = 86_400_000;
const RESOLUTIONS = Object.values(sdk3.FeedResolution);

const daysAgo = (days) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

describe("the plain dialect", () => {
  let plain;
  before(async () => {
    plain = await stoa.replica("--no-rate-limit");
    await plain.serves(head);
  });
  after(async () => assert.equal(await plain.stop(), 0));

  const text = async (path, { api } = plain) => {
    const answer = await fetch(api + path);
    assert.equal(answer.status, 200, path);
    return answer.text();
  };
  const json = async (path, process) => JSON.parse(await text(path, process));
  const prices = (tokens, version = "v3") => {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ tokens });
    return fetch(`${plain.api}/${version}/tokens/prices`, { method: "POST", headers, body });
  };
  const refused = async (answer, ...messages) => {
    assert.equal(answer.status, 400);
    assert.deepEqual(await answer.json(), { messages });
  };

  test("tokens have the documented names and no others", async () => {
    const tokens = await json("/v3/tokens");
    assert.deepEqual(await json(`/v3/tokens/${ETH}`), tokens[0]);
    for (const { global, ...token } of tokens) {
      assertNames(token, TOKEN);
      const { [UNCOUNTED]: uncounted, ...network } = token.network;
      assertNames(network, NETWORK);
      assert.ok(uncounted === undefined || uncounted > 0);
      if (global !== undefined) assertNames(global, GLOBAL);
      assert.ok(token.tags.every((tag) => TAGS.includes(tag)), token.tags);
      token.linePriceFeedInUsd.forEach((point) => assertNames(point, POINT));
    }
    assert.ok(tokens.some(({ global }) => global) && tokens.some((token) => !("global" in token)));
    const { linePriceFeedInUsd } = await json(`/v3/tokens/${ETH}?withPriceFeed=false`);
    assert.deepEqual(linePriceFeedInUsd, []);
  });

  test("series have the documented names and no others", async () => {
    for (const [version, paths] of Object.entries(ITEMS)) {
      for (const [path, names] of Object.entries(paths)) {
        const items = await json(`/${version}/tokens/${ETH}/${path}`);
        assert.ok(items.length > 0, path);
        items.forEach((item) => assertNames(item, names));
      }
    }
  });

  test("no name is that of the other dialect", async () => {
    const named = /"[^"]*(?:avnu|starknet|coingecko)[^"]*":/i;
    const paths = ["/v3/tokens", "/v1/tokens", "/v1/tokens/short", `/v1/tokens/prices?token=${ETH}`];
    for (const path of paths) assert.doesNotMatch(await text(path), named);
    assert.match(await text("/v1/tokens", stoa), named);
    assert.doesNotMatch(await (await prices([ETH])).text(), named);
  });

  test("both dialects tell the same, and so do both processes", async () => {
    // The aggregator is asked by each process for itself.
    const translated = ({ starknet, coingeckoId, global, tags, ...token }) => {
      const plainTags = tags.map((tag) => (tag === "AVNU" ? "PLATFORM" : tag));
      return { ...token, network: starknet, aggregatorId: coingeckoId, tags: plainTags };
    };
    const untold = ({ global, network: { [UNCOUNTED]: _, ...network }, ...token }) => ({ ...token, network });
    const tokens = await json("/v3/tokens", stoa);
    assert.deepEqual((await json("/v3/tokens")).map(untold), tokens.map(translated));
    for (const path of Object.keys(ITEMS.v3)) {
      const asked = `/v3/tokens/${STRK}/${path}?resolution=1D`;
      assert.equal(await text(asked), await text(asked, stoa));
    }
  });

  test("days of volumes add up exactly to those of the range", async () => {
    // Texts of numbers, and what they are in units of 10⁻⁴⁰.
    const exact = (key, value, { source }) => (typeof value === "number" ? source : value);
    const units = (decimal) => {
      const [whole, fraction = ""] = decimal.split(".");
      return BigInt(whole + fraction.padEnd(40, "0"));
    };
    const path = `/v3/tokens/${ETH}/exchange-volumes`;
    const range = `startDate=${daysAgo(40)}`;
    const totals = await text(`${path}?${range}`);
    const days = await text(`${path}/line?resolution=1D&${range}`);
    const points = byExchange(JSON.parse(days, exact));
    for (const total of JSON.parse(totals, exact)) {
      for (const key of ["value", "valueUsd"]) {
        const added = points.get(total.exchange).reduce((sum, point) => sum + units(point[key]), 0n);
        assert.equal(added, units(total[key]));
      }
    }
  });

  test("an answer that the caller has is not sent again", async () => {
    const past = `startDate=${daysAgo(9)}&endDate=${daysAgo(2)}`;
    const paths = Object.keys(ITEMS.v3).map((path) => `/${ETH}/${path}?${past}`);
    for (const path of ["", `/${ETH}`, ...paths]) {
      const url = `${plain.api}/v3/tokens${path}`;
      const first = await fetch(url);
      const tag = first.headers.get("ETag");
      assert.ok(tag && (await first.text()).length > 0, path);
      const again = await fetch(url, { headers: { "If-None-Match": tag } });
      assert.equal(again.status, 304, path);
      assert.equal(again.headers.get("ETag"), tag);
      assert.equal(await again.text(), "");
      const other = await fetch(url, { headers: { "If-None-Match": '"another"' } });
      assert.equal(other.status, 200);
      assert.equal(other.headers.get("ETag"), tag);
    }
  });

  test("a compressed series unpacks to the very same bytes", async () => {
    // What fetch unpacks by itself, this shows as it is sent.
    const sent = (path, encoding) =>
      new Promise((resolve, reject) => {
        const headers = { "Accept-Encoding": encoding };
        get(plain.api + path, { headers }, resolve).on("error", reject);
      });
    const past = `startDate=${daysAgo(9)}&endDate=${daysAgo(2)}`;
    for (const feed of ["candle", "line"]) {
      const path = `/v3/tokens/${ETH}/prices/${feed}?${past}`;
      const packed = await sent(path, "gzip, deflate");
      assert.equal(packed.headers["content-encoding"], "gzip");
      const bytes = await buffer(packed);
      assert.equal(Number(packed.headers["content-length"]), bytes.length);
      const text = await buffer(await sent(path, "identity"));
      assert.ok(bytes.length * 2 < text.length, `${bytes.length} of ${text.length}`);
      assert.deepEqual(gunzipSync(bytes), text);
    }
  });

  test("a bucket that has not ended is told of, and left out when asked", async () => {
    const path = `${plain.api}/v3/tokens/${ETH}/prices/candle?resolution=4H`;
    const all = await fetch(path);
    const ended = await fetch(`${path}&partial=false`);
    const candles = await all.json();
    assert.equal(all.headers.get("X-Partial-Bucket"), candles.at(-1).date);
    assert.equal(ended.headers.get("X-Partial-Bucket"), null);
    assert.deepEqual((await ended.json()).slice(-10), candles.slice(-11, -1));
  });

  test("up to fifty prices are answered, each token's once", async () => {
    const tokens = await json("/v3/tokens");
    const asked = tokens.slice(0, 50).map(({ address }) => address);
    assert.equal(asked.length, 50);
    const answered = await (await prices(asked)).json();
    assert.deepEqual(answered.map(({ address }) => address), asked);
    answered.forEach(({ globalMarket, networkMarket, ...price }, index) => {
      assertNames(price, ["address", "decimals"]);
      assert.deepEqual(networkMarket, { usd: tokens[index].network.usd });
      const global = tokens[index].global;
      assert.deepEqual(globalMarket, global && { usd: global.usd });
    });
    const repeated = await (await prices([STRK, PADDED_ETH, ETH, STRK])).json();
    assert.deepEqual(repeated.map(({ address }) => address), [STRK, ETH]);
    await refused(await prices([...asked, ETH]), "tokens must have 1 to 50 addresses, not 51");
    await refused(await prices([]), "tokens must have 1 to 50 addresses, not 0");
  });

  test("up to ten prices of v1 are answered in USD and ETH", async () => {
    const query = (tokens) => tokens.map((token) => `token=${token}`).join("&");
    const [eth, strk] = await json(`/v1/tokens/prices?${query([PADDED_ETH, STRK, ETH])}`);
    assert.deepEqual([eth.priceInEth, BigInt(eth.priceInETH)], [1, 10n ** 18n]);
    assert.equal(strk.priceInEth, strk.priceInUsd / eth.priceInUsd);
    assert.deepEqual(await (await prices([ETH, STRK], "v1")).json(), [eth, strk]);
    const path = `${plain.api}/v1/tokens/prices?`;
    assert.equal((await fetch(path + query(Array(10).fill(ETH)))).status, 200);
    await refused(await fetch(path + query(Array(11).fill(ETH))), "token must have 1 to 10 addresses, not 11");
    await refused(await fetch(path), "token must have 1 to 10 addresses, not 0");
  });

  test("all that is wrong with a request is told at once", async () => {
    const ask = (token, query) => fetch(`${plain.api}/v3/tokens/${token}/prices/line?${query}`);
    await refused(await ask("0xdead", ""), 'token "0xdead" not found');
    await refused(
      await ask(ETH, "startDate=yesterday&resolution=2H"),
      "startDate must be a date such as 2026-01-31, or a date-time with an offset such as " +
        '2026-01-31T12:00:00Z, not "yesterday"',
      'resolution must be one of 1, 5, 15, 1H, 4H, 1D, 1W, 1M, 1Y, not "2H"',
    );
    await refused(
      await ask(ETH, "startDate=2026-02-02&endDate=2026-02-01"),
      "startDate must not be after endDate, but 2026-02-02T00:00:00Z is after 2026-02-01T00:00:00Z",
    );
    await refused(
      await ask(ETH, `in=USD&quoteTokenAddress=${STRK}`),
      "in and quoteTokenAddress mean the same; give one of them",
    );
    assert.equal((await ask(ETH, `in=${STRK}`)).status, 200);
  });

  // The last ones: they change the chain.
  const candles = (token, resolution) => json(`/v3/tokens/${token}/prices/candle?resolution=${resolution}`);
  // The price of now is where the newest candles end.
  const assertAgreement = async () => {
    for (const token of [ETH, STRK, USDC]) {
      const [{ networkMarket }] = await (await prices([token])).json();
      for (const resolution of RESOLUTIONS) {
        const bars = await candles(token, resolution);
        assertCandles(bars);
        assert.equal(bars.at(-1).close, networkMarket.usd);
      }
    }
  };

  // Other processes answer to the letter what this one does.
  const assertSame = async (...others) => {
    for (const token of [ETH, STRK]) {
      for (const path of Object.keys(ITEMS.v3)) {
        for (const resolution of ["1", "1H", "1M"]) {
          const asked = `/v3/tokens/${token}/${path}?resolution=${resolution}`;
          const told = await text(asked);
          for (const other of others) assert.equal(await text(asked, other), told, asked);
        }
      }
    }
  };

  test("a reorganisation leaves prices and candles that agree", async () => {
    const depth = 40;
    const block_id = { block_number: head.block_number - depth };
    const kept = await stoa.control("starknet_getBlockWithTxHashes", { block_id });
    const told = await candles(ETH, "1H");

    head = await stoa.control("sim_reorg", { depth });
    await Promise.all([stoa.serves(head), plain.serves(head)]);
    await assertAgreement();
    const toldAnew = await candles(ETH, "1H");
    assert.notDeepEqual(toldAnew, told);
    const stays = ({ date }) => date >= told[1].date && bucketAfter(date, "1H") <= kept.timestamp * 1000;
    assert.deepEqual(toldAnew.filter(stays), told.filter(stays));
    assert.ok(told.filter(stays).length > 0);
    await assertSame(stoa);
  });

  test("a process that begins at an empty block tells what the others tell", async (t) => {
    for (let mined = 0, empty = false; !empty; mined++) {
      assert.ok(mined < 500, "no block is empty");
      head = await stoa.control("sim_advance", { seconds: 60 });
      const block = await stoa.control("starknet_getBlockWithTxHashes", { block_id: "latest" });
      empty = block.transactions.length === 0;
    }
    await Promise.all([stoa.serves(head), plain.serves(head)]);
    const fresh = await stoa.replica("--no-rate-limit");
    t.after(() => fresh.stop());
    await fresh.serves(head);
    await assertAgreement();
    await assertSame(stoa, fresh);
    // The aggregator was asked at another time.
    const { global, ...record } = await json(`/v3/tokens/${ETH}`);
    const { global: _, ...freshRecord } = await json(`/v3/tokens/${ETH}`, fresh);
    assert.deepEqual(freshRecord, record);
  });
});
