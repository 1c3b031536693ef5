// What a series of the market API must look like, by its resolution.
import assert from "node:assert/strict";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// The published order and meaning of resolutions.
const LENGTHS = { 1: MINUTE, 5: 5 * MINUTE, 15: 15 * MINUTE, "1H": HOUR, "4H": 4 * HOUR, "1D": DAY, "1W": 7 * DAY };
const MONTHS = { "1M": 1, "1Y": 12 };
const RANGES = { "1H": HOUR, "1D": DAY, "1W": 7 * DAY, "1M": 31 * DAY, "1Y": 365 * DAY };
const MAX_POINTS = 5_000;

// Days since 1970 began on a Thursday; weeks begin on Monday.
const WEEK_OFFSET = 4 * DAY;

// Whether a range of the SDK has few enough buckets to be answered.
export const fits = (range, resolution) =>
  resolution in MONTHS || RANGES[range] / LENGTHS[resolution] < MAX_POINTS;

export function bucketAfter(date, resolution) {
  const opens = new Date(date);
  if (!(resolution in MONTHS)) return +opens + LENGTHS[resolution];
  return Date.UTC(opens.getUTCFullYear(), opens.getUTCMonth() + MONTHS[resolution]);
}

function isBoundary(date, resolution) {
  const opens = new Date(date);
  if (resolution === "1Y") return +opens === Date.UTC(opens.getUTCFullYear(), 0);
  if (resolution === "1M") return +opens === Date.UTC(opens.getUTCFullYear(), opens.getUTCMonth());
  const offset = resolution === "1W" ? WEEK_OFFSET : 0;
  return (+opens - offset) % LENGTHS[resolution] === 0;
}

// Every bucket once, in order, up to the one that has not ended.
export function assertUnbroken(points, resolution, now = Date.now()) {
  assert.ok(points.length > 0, `no points at ${resolution}`);
  points.forEach(({ date }, index) => {
    assert.ok(isBoundary(date, resolution), `${date} is no boundary of ${resolution}`);
    const next = points[index + 1]?.date;
    if (next) assert.equal(Date.parse(next), bucketAfter(date, resolution));
  });
  const newest = points.at(-1).date;
  assert.ok(Date.parse(newest) <= now && now < bucketAfter(newest, resolution), `${newest} is not now`);
}

// Candles of a price that never leaps between them.
export function assertCandles(candles) {
  candles.forEach(({ open, high, low, close, volume }, index) => {
    assert.ok(0 < low && low <= Math.min(open, close) && Math.max(open, close) <= high);
    assert.ok(volume >= 0);
    if (index > 0) assert.equal(open, candles[index - 1].close);
  });
}

// Points of several exchanges as one series each.
export function byExchange(points) {
  assert.ok(points.every(({ date }, index) => index === 0 || points[index - 1].date <= date));
  return Map.groupBy(points, ({ exchange }) => exchange);
}

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// Equal but for the rounding of a sum of numbers that are not whole.
export function assertNear(actual, expected) {
  const apart = Math.abs(actual - expected);
  assert.ok(apart <= 1e-11 * Math.abs(expected), `${actual} is not ${expected}`);
}
