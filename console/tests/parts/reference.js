// The API reference in a browser: found by search and by address, tried with a bearer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shoot } from "../browser.js";
import { openTab, shared } from "../service.js";

test("an operation is found, read and tried", async () => {
  const { tab, complaints, close } = await openTab();
  const elsewhere = [];
  tab.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(shared.stoa.api) && !url.startsWith("data:")) elsewhere.push(url);
  });
  await tab.goto("/docs");
  const search = tab.getByLabel("Search operations");
  await search.fill("get quotes");
  const found = tab.locator(".opblock");
  await found.first().waitFor();
  assert.deepEqual(await tab.locator(".opblock-summary-path").allInnerTexts().then(words), ["/swap/v3/quotes"]);

  await search.fill("prices post v3");
  await found.first().locator(".opblock-summary-control").click();
  await tab.getByRole("tab", { name: "Python" }).click();
  assert.match(await tab.locator(".samples pre").innerText(), /requests\.post\([\s\S]*"tokens": \[/);
  await tab.locator(".opblock-section-request-body .body-param__example").first().waitFor();
  await shoot(tab, "docs");
  assert.ok(tab.url().includes("#/"), tab.url());

  assert.deepEqual(elsewhere, []);
  assert.deepEqual(complaints, []);
  await close();
});

test("an operation has an address, and is asked with a bearer", async () => {
  const { tab, complaints, close } = await openTab({ theme: "light" });
  await tab.goto("/docs#/Accounts/me");
  const operation = tab.locator("#operations-Accounts-me");
  await operation.locator(".opblock-body").waitFor();
  await tab.locator(".auth-wrapper .authorize").click();
  await tab.locator(".auth-container", { hasText: "bearer" }).getByRole("textbox").fill("demo-trader-token");
  await tab.locator(".auth-container", { hasText: "bearer" }).getByRole("button", { name: "Apply credentials" }).click();
  await tab.locator(".btn-done").first().click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table .response");
  await answer.waitFor();
  assert.match(await answer.innerText(), /200[\s\S]*public_id/);
  assert.match(await operation.locator(".request-snippets").innerText(), /demo-trader-token/);
  assert.deepEqual(complaints, []);
  await close();
});

/** Without the marks that let long paths break. */
const words = (texts) => texts.map((text) => text.replaceAll("\u200b", ""));
