// Pages that stay open: forks of the chain, restarts of the service, hidden tabs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startStoa, until } from "../../../clients/stoa.js";
import { open, settled, shoot } from "../browser.js";
import { allPages, ETH, openTab, shared } from "../service.js";

test("a reorganisation repaints what is shown", async () => {
  const watching = await openTab();
  await open(watching.tab, "/");
  await watching.tab.locator(".ticker.live").waitFor();
  const steering = await openTab();
  await open(steering.tab, "/simulator");
  const reloaded = watching.tab.waitForResponse((response) => response.url().includes("/v3/tokens/table"));
  await steering.tab.getByRole("button", { name: "Reorganise" }).first().click();
  await steering.tab.getByText("Replaced the newest 3 blocks").waitFor();
  await watching.tab.getByText("The chain was reorganised").first().waitFor();
  await watching.tab.locator(".marks .replaced").first().waitFor();
  await reloaded;
  assert.equal(await watching.tab.getByText("The chain was reorganised").count(), 1);
  await shoot(watching.tab, "reorganised");
  assert.deepEqual([...watching.complaints, ...steering.complaints], []);
  await Promise.all([watching.close(), steering.close()]);
});

const openStreams = async (api) => {
  const metrics = await (await fetch(`${api}/metrics`)).text();
  return Number(/^stoa_streams_open(?:\{[^}]*\})? (\d+)/m.exec(metrics)[1]);
};

test("a hidden page holds no stream, and goes on when it is seen again", async () => {
  const { tab, complaints, close } = await openTab();
  const { api } = shared.stoa;
  // A browser without a window never hides a page by itself.
  const hide = (isHidden) =>
    tab.evaluate((value) => {
      Object.defineProperty(document, "hidden", { configurable: true, value });
      document.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);
  const others = await openStreams(api);
  await open(tab, `/token/${ETH}`);
  await until("the page has its stream", async () => (await openStreams(api)) === others + 1);
  await hide(true);
  await until("the service has no stream of it", async () => (await openStreams(api)) === others);
  const before = await tab.locator(".ticker-block").textContent();
  await shared.stoa.serves(await shared.stoa.control("sim_mine", { blocks: 3 }));
  const reloaded = tab.waitForResponse((response) => response.url().includes("/prices/candle"));
  await hide(false);
  await reloaded;
  await until("newer blocks are shown", async () => (await tab.locator(".ticker-block").textContent()) !== before);
  assert.deepEqual(complaints, []);
  await close();
});

test("in the other dialect and within the usual limits every page works, and a restart is survived", async () => {
  let stoa = await startStoa("--dialect", "avnu");
  try {
    const { tab, complaints, close } = await openTab({ api: stoa.api });
    const refused = [];
    tab.on("response", (response) => response.status() >= 400 && refused.push(`${response.status()} ${response.url()}`));
    for (const { path } of await allPages(stoa.api)) await open(tab, path);
    assert.deepEqual(refused, []);
    assert.deepEqual(complaints, []);
    await open(tab, "/venues");
    await tab.locator(".ticker.live").waitFor();
    const lost = tab.locator(".ticker.lost").waitFor();
    stoa = await stoa.restart();
    await lost;
    await tab.locator(".ticker.live").waitFor();
    await tab.getByRole("link", { name: "Pools", exact: true }).click();
    await settled(tab);
    await tab.getByRole("link", { name: "ETH" }).first().waitFor();
    await close();
  } finally {
    await stoa.stop();
  }
});

test("pages of others may not steer the networks", async () => {
  const body = JSON.stringify({ network: "starknet", method: "sim_mine", params: { blocks: 1 } });
  const ask = (origin) => fetch(`${shared.stoa.api}/simulator/rpc`, { method: "POST", body, headers: { "content-type": "application/json", ...(origin ? { origin } : {}) } });
  assert.equal((await ask("https://attacker.example")).status, 403);
  assert.equal((await ask(shared.stoa.api)).status, 200);
  assert.equal((await ask()).status, 200);
});
