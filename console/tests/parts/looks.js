// How every page looks and reads: in both themes, on a telephone, without motion.
import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, fitsSideways, OF_COLOURS, open, settled, shoot, signIn } from "../browser.js";
import { allPages, ETH, openTab, shared, USDC } from "../service.js";

const MOST_SHIFT = 0.05;

/** Opens every page in turn, as whoever has to be signed in. */
async function visitAll(tab, look) {
  for (const page of await allPages(shared.stoa.api)) {
    await open(tab, page.path);
    if (page.who) {
      await signIn(tab, page.who);
      await tab.getByRole("button", { name: "Sign out" }).waitFor();
      await settled(tab);
    }
    await look(page);
    if (page.who) await tab.getByRole("button", { name: "Sign out" }).click();
  }
}

test("every page is without barriers and complaints in both themes", async () => {
  const { tab, complaints, close } = await openTab();
  const found = [];
  await visitAll(tab, async ({ name }) => {
    for (const [theme, rules] of [["dark"], ["light", OF_COLOURS]]) {
      await tab.emulateMedia({ colorScheme: theme });
      found.push(...(await barriers(tab, rules)).map((it) => `${name}, ${theme}: ${it}`));
      await shoot(tab, `${name}-${theme}`);
    }
  });
  assert.deepEqual(found, []);
  assert.deepEqual(complaints, []);
  await close();
});

test("a page of what does not exist says so", async () => {
  const { tab, close } = await openTab();
  await open(tab, "/validators/nothing");
  await tab.getByText("Not found").waitFor();
  assert.deepEqual(await barriers(tab), []);
  await close();
});

test("at 360 px nothing has to be scrolled sideways, and nothing jumps", async () => {
  const { tab, complaints, close } = await openTab({ width: 360, height: 740 });
  await tab.addInitScript(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  const jumps = [];
  await visitAll(tab, async ({ name, path, who }) => {
    await fitsSideways(tab, path);
    await shoot(tab, `${name}-narrow`);
    const shift = await tab.evaluate(() => globalThis.shift);
    if (!who && shift > MOST_SHIFT) jumps.push(`${name} moves by ${shift}`);
  });
  assert.deepEqual(jumps, []);
  assert.deepEqual(complaints, []);
  await close();
});

test("whoever wants no motion sees none", async () => {
  // The light of the connection blinks while there is none.
  const moving = (tab) => tab.evaluate(() => document.getAnimations().length);
  for (const [motion, isStill] of [["no-preference", false], ["reduce", true]]) {
    const { tab, close } = await openTab({ motion });
    await tab.route("**/v3/stream*", (route) => route.abort());
    await open(tab, "/venues");
    await tab.locator(".ticker.lost").waitFor();
    assert.equal((await moving(tab)) === 0, isStill, motion);
    await close();
  }
});

test("what is drawn can be read as a table", async () => {
  const { tab, complaints, close } = await openTab();
  await open(tab, `/token/${ETH}`);
  await tab.getByRole("button", { name: "Table" }).click();
  await tab.getByRole("region", { name: "Prices as a table" }).getByRole("row").nth(30).waitFor();
  await open(tab, `/swap?sell=${ETH}&buy=${USDC}&amount=100`);
  await tab.locator(".sankey svg rect").first().waitFor();
  await tab.getByText("as a table").click();
  await tab.getByRole("region", { name: "Swaps of the route" }).getByRole("row").nth(1).waitFor();
  await open(tab, "/status");
  await tab.getByText("Block times as a table").click();
  await shared.stoa.control("sim_mine", { blocks: 1 });
  await tab.locator(".as-table tbody tr").first().waitFor();
  assert.deepEqual(await barriers(tab), []);
  assert.deepEqual(complaints, []);
  await close();
});
