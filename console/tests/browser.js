// A browser on the running program, which fails at whatever the page complains about.
import axe from "axe-core";
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SHOTS = new URL("../screenshots", import.meta.url).pathname;
const PATIENCE_MS = 45_000;

export async function openBrowser() {
  await mkdir(SHOTS, { recursive: true });
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--force-color-profile=srgb"] });
}

/** A tab of its own; `complaints` is everything that its console called an error. */
export async function openTab(browser, api, { theme = "dark", width = 1280, height = 900, motion = "reduce" } = {}) {
  const context = await browser.newContext({ baseURL: api, viewport: { width, height }, colorScheme: theme, reducedMotion: motion });
  const tab = await context.newPage();
  tab.setDefaultTimeout(PATIENCE_MS);
  const complaints = [];
  tab.on("console", (message) => message.type() === "error" && complaints.push(`${message.text()} ${message.location().url}`));
  tab.on("pageerror", (error) => complaints.push(error.message));
  return { tab, complaints, close: () => context.close() };
}

/** Opens a path and waits until nothing is awaited any more. */
export async function open(tab, path) {
  await tab.goto(path, { waitUntil: "commit" });
  await settled(tab);
}

export const settled = (tab) =>
  tab.waitForFunction(() => document.querySelector("main h1, main .state") && !document.querySelector("main .skeleton, main .opening"));

/** What axe finds, as lines that say where. */
export async function barriers(tab) {
  await tab.evaluate(axe.source);
  const { violations } = await tab.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary.replace(/\s+/g, " ")}`));
}

export const shoot = (tab, name) => tab.screenshot({ path: join(SHOTS, `${name}.png`) });

export async function fitsSideways(tab, path) {
  const over = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `${path} is ${over} px too wide`);
}
