// How soon the first page is there on a slow line and a slow processor: rows of
// `./bench`. Asks the service of an address, or starts one.
import { startStoa } from "../../clients/stoa.js";
import { newTab, openBrowser, settled } from "./browser.js";

const LINE = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const SLOWER = 4;
const RUNS = 5;
const GOALS = [["first paint", "ms", 1000], ["largest paint", "ms", 2000], ["layout shift", "", 0.05]];

const observe = () => {
  globalThis.paints = { first: 0, largest: 0, shift: 0 };
  const on = (type, act) => new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type, buffered: true });
  on("paint", (entry) => entry.name === "first-contentful-paint" && (globalThis.paints.first = entry.startTime));
  on("largest-contentful-paint", (entry) => (globalThis.paints.largest = entry.startTime));
  on("layout-shift", (entry) => entry.hadRecentInput || (globalThis.paints.shift += entry.value));
};

async function visit(browser, api) {
  const { tab, close } = await newTab(browser, api, { width: 390, height: 844 });
  const control = await tab.context().newCDPSession(tab);
  await control.send("Network.enable");
  await control.send("Network.emulateNetworkConditions", LINE);
  await control.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await tab.addInitScript(observe);
  await tab.goto("/", { waitUntil: "commit" });
  await settled(tab);
  await tab.waitForTimeout(1000);
  const { first, largest, shift } = await tab.evaluate(() => globalThis.paints);
  await close();
  return [first, largest, shift];
}

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const stoa = process.argv[2] ? null : await startStoa("--no-rate-limit");
const api = process.argv[2] ?? stoa.api;
const browser = await openBrowser();
const runs = [];
for (let run = 0; run < RUNS; run++) runs.push(await visit(browser, api));
await browser.close();
await stoa?.stop();
console.log(`console at 1.6 Mbit/s, 150 ms, ${SLOWER} times slowed processor, middle of ${RUNS}`);
for (const [at, [name, unit, goal]] of GOALS.entries()) {
  const value = middle(runs.map((run) => run[at]));
  const shown = unit ? Math.round(value) : value.toFixed(3);
  console.log(`  ${name.padEnd(16)}${String(shown).padStart(8)} ${unit.padEnd(3)} at most ${goal} ${value <= goal ? "" : "MISSED"}`);
}
