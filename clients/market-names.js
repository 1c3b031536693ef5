// The names of the market API's records in the plain dialect.
import assert from "node:assert/strict";

export const POINT = ["date", "value"];
const VOLUME = [...POINT, "valueUsd"];
const EXCHANGE = [...VOLUME, "exchange"];
const RANGE = ["value", "valueUsd", "exchange", "startDate", "endDate"];
const CANDLE = ["date", "open", "high", "low", "close", "volume"];
const IDENTITY = ["address", "name", "symbol", "decimals", "logoUri", "verified", "aggregatorId"];
export const TOKEN = [...IDENTITY, "tags", "linePriceFeedInUsd", "network"];
const CHANGES = ["1h", "24h", "7d"].flatMap((time) => [`PriceChange${time}`, `PriceChangePercentage${time}`]);
export const NETWORK = ["usd", "usdTvl", "usdVolume24h", "usdTradingVolume24h", ...CHANGES.map((name) => `usd${name}`)];
// Beyond the published names: there where some pools of the token are not trusted.
export const UNCOUNTED = "usdTvlUncounted";
export const GLOBAL = ["usd", "usdMarketCap", "usdFdv", "usdMarketCapChange24h", "usdMarketCapChangePercentage24h"];
export const TAGS = ["Unknown", "Verified", "Community", "Unruggable", "PLATFORM"];

// Paths below a token, and what their items consist of.
const SERIES = {
  "prices/line": POINT,
  "prices/candle": CANDLE,
  "volumes/line": VOLUME,
  "exchange-volumes/line": EXCHANGE,
  "exchange-tvl/line": EXCHANGE,
};
export const ITEMS = {
  v3: { ...SERIES, "exchange-volumes": RANGE, "exchange-tvl": EXCHANGE },
  v1: { ...SERIES, "exchange-volumes": ["date", ...RANGE], "exchange-tvl": EXCHANGE },
};

export const assertNames = (record, names) => assert.deepEqual(Object.keys(record).sort(), [...names].sort());
