// Quotes and swaps, by hand and by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../clients/stoa.js";
import { open, shoot, tabTo } from "../browser.js";
import { ETH, openTab, shared, USDC } from "../service.js";

test("a swap is quoted, drawn and executed by a simulated account", async () => {
  const { tab, complaints, close } = await openTab();
  await open(tab, `/swap?sell=${ETH}&buy=${USDC}&amount=2`);
  await tab.getByLabel("Account").selectOption({ index: 3 });
  const held = async () => {
    const { accounts } = await (await fetch(`${shared.stoa.api}/simulator/accounts`)).json();
    return BigInt(accounts[2].balances.find(({ symbol }) => symbol === "USDC").amount);
  };
  const before = await held();
  await tab.locator(".sankey svg rect").first().waitFor();
  await tab.getByRole("button", { name: "Swap ETH for USDC" }).click();
  await tab.getByText("Sent as").waitFor();
  await until("the account has more USDC", async () => (await held()) > before, 200);
  await shoot(tab, "swapped");
  assert.deepEqual(complaints, []);
  await close();
});

test("an amount can be written on either side", async () => {
  const { tab, complaints, close } = await openTab();
  await open(tab, `/swap?sell=${ETH}&buy=${USDC}`);
  const sold = tab.getByLabel("You sell, amount of ETH");
  const bought = tab.getByLabel("You buy, amount of USDC");
  await bought.fill("1000");
  const amount = async (side) => Number(await side.inputValue());
  // Read once: between two looks the page may have taken the earlier quote away.
  const isPart = (amount) => amount > 0 && amount < 2;
  await until("a part of an ETH is sold for it", async () => isPart(await amount(sold)));
  await sold.fill("3");
  await until("three ETH buy more", async () => (await amount(bought)) > 3000);
  assert.deepEqual(complaints, []);
  await close();
});

test("a swap needs nothing but the keyboard", async () => {
  const { tab, complaints, close } = await openTab();
  await open(tab, "/");
  await tab.keyboard.press("Tab");
  assert.equal(await tab.evaluate(() => document.activeElement.textContent.trim()), "Skip to content");
  await tabTo(tab, "Swap");
  await tab.keyboard.press("Enter");
  await tab.getByLabel("You sell, amount of ETH").waitFor();
  await tabTo(tab, "You sell, amount of ETH");
  await tab.keyboard.press("ControlOrMeta+A");
  await tab.keyboard.type("3");
  await tabTo(tab, "You buy: USDC");
  await tab.keyboard.press("Enter");
  await tab.keyboard.type("wbtc");
  await tab.keyboard.press("Enter");
  await tab.getByRole("button", { name: "Swap ETH for WBTC" }).waitFor();
  await tabTo(tab, "Swap ETH for WBTC");
  await tab.keyboard.press("Enter");
  await tab.getByText("Sent as").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("an injected Starknet wallet is handed the calls as they are built", async () => {
  const { tab, complaints, close } = await openTab();
  await tab.addInitScript(() => {
    globalThis.handed = [];
    globalThis.starknet_test = {
      id: "test",
      name: "Wallet of the test",
      request: async ({ type, params }) => {
        if (type === "wallet_requestAccounts") return ["0x1234"];
        globalThis.handed.push({ type, params });
        return { transaction_hash: "0xabc" };
      },
    };
  });
  const built = tab.waitForResponse((response) => response.url().includes("/swap/v3/build"));
  await open(tab, `/swap?sell=${ETH}&buy=${USDC}&amount=1`);
  await tab.getByLabel("Account").selectOption("Wallet of the test");
  await tab.getByRole("button", { name: "Swap ETH for USDC" }).click();
  const { calls } = await (await built).json();
  await tab.getByText("Sent as").waitFor();
  const [{ type, params }] = await tab.evaluate(() => globalThis.handed);
  assert.equal(type, "wallet_addInvokeTransaction");
  const names = ({ contractAddress, entrypoint, calldata }) => ({ contract_address: contractAddress, entry_point: entrypoint, calldata });
  assert.deepEqual(params.calls, calls.map(names));
  assert.deepEqual(complaints, []);
  await close();
});
