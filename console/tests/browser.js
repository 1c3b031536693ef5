// A browser on the running program, which fails at whatever the page complains about.
import axe from "axe-core";
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SHOTS = new URL("../screenshots", import.meta.url).pathname;
const PATIENCE_MS = 20_000;

export async function openBrowser() {
  await mkdir(SHOTS, { recursive: true });
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--force-color-profile=srgb"] });
}

/** A tab of its own; `complaints` is everything that its console called an error. */
export async function newTab(browser, api, { theme = "dark", width = 1280, height = 900, motion = "reduce" } = {}) {
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

export const signIn = (tab, who) => tab.getByRole("button", { name: `Demo ${who}` }).click();

const MOST_STOPS = 120;

/** Presses the tab key until something of this name (a text or a pattern) has the focus. */
export async function tabTo(tab, name) {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await tab.keyboard.press("Tab");
    const focused = await tab.evaluate(() => {
      const it = document.activeElement;
      return (it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent).replace(/\s+/g, " ").trim();
    });
    if (name instanceof RegExp ? name.test(focused) : focused === name) return;
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

/** Of axe's rules, those that a theme decides. */
export const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** What axe finds, by all of its rules or by some, as lines that say where. */
export async function barriers(tab, runOnly) {
  if (!(await tab.evaluate(() => "axe" in globalThis))) await tab.evaluate(axe.source);
  const { violations } = await tab.evaluate((rules) => globalThis.axe.run(document, { resultTypes: ["violations"], ...rules }), runOnly && { runOnly });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary.replace(/\s+/g, " ")}`));
}

export const shoot = (tab, name) => tab.screenshot({ path: join(SHOTS, `${name}.png`) });

export async function fitsSideways(tab, path) {
  const over = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `${path} is ${over} px too wide`);
}
