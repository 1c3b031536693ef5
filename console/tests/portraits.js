// The two pictures that open the README: `npm run portraits`. Asks the service of an
// address, or starts one and lets its market run for a while.
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startStoa } from "../../clients/stoa.js";
import { newTab, open, openBrowser } from "./browser.js";

const FOLDER = new URL("../../docs/images", import.meta.url).pathname;
const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const MOST_BYTES = 150_000;
const MARKET_RUNS_MS = 60_000;
// Until the row of newest blocks is full.
const LOOKS_MS = 45_000;
const SIZE = { width: 1240, height: 770 };
const PORTRAITS = [
  { name: "token", path: `/token/${ETH}?resolution=15` },
  { name: "swap", path: `/swap?sell=${ETH}&buy=${USDC}&amount=100` },
];

async function portray(browser, api, { name, path }) {
  const { tab, close } = await newTab(browser, api, SIZE);
  await open(tab, path);
  await tab.waitForTimeout(LOOKS_MS);
  const file = join(FOLDER, `${name}.png`);
  await tab.screenshot({ path: file });
  await close();
  const { size } = await stat(file);
  console.log(`${file} ${size} bytes${size > MOST_BYTES ? ", which is TOO MUCH" : ""}`);
}

const stoa = process.argv[2] ? null : await startStoa("--no-rate-limit");
const api = process.argv[2] ?? stoa.api;
if (stoa) await sleep(MARKET_RUNS_MS);
await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser();
await Promise.all(PORTRAITS.map((portrait) => portray(browser, api, portrait)));
await browser.close();
await stoa?.stop();
