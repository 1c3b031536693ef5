// The console in a real browser, on the real program with its simulated networks.
import assert from "node:assert/strict";
import net from "node:net";
import { after, before, test } from "node:test";
import { startStoa, until } from "../../clients/stoa.js";
import { barriers, fitsSideways, open, openBrowser, openTab, settled, shoot } from "./browser.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const MOST_SHIFT = 0.05;

let stoa;
let browser;
let pages;

before(async () => {
  [stoa, browser] = await Promise.all([startStoa("--no-rate-limit"), openBrowser()]);
  // Simulated people come one after the other.
  let validator;
  await until("somebody offers a validator", async () => {
    const { data } = await (await fetch(`${stoa.api}/v1/validators?limit=1`)).json();
    validator = data?.[0]?.public_id;
    return validator !== undefined;
  });
  pages = {
    tokens: "/",
    token: `/token/${ETH}`,
    "token-table": `/token/${ETH}?view=table`,
    swap: `/swap?sell=${STRK}&buy=${USDC}&amount=60000`,
    pools: "/pools",
    venues: "/venues",
    orders: "/orders",
    staking: "/staking",
    paymaster: "/paymaster",
    validators: "/validators",
    validator: `/validators/${validator}`,
    leases: "/leases",
    staff: "/staff",
    status: "/status",
    simulator: "/simulator",
    missing: "/validators/nothing",
  };
});

after(async () => {
  await browser?.close();
  await stoa?.stop();
});

const signIn = (tab, who) => tab.getByRole("button", { name: `Demo ${who}` }).click();

for (const theme of ["dark", "light"]) {
  test(`every page is without barriers and complaints in the ${theme} theme`, async () => {
    const { tab, complaints, close } = await openTab(browser, stoa.api, { theme });
    const found = [];
    for (const [name, path] of Object.entries(pages)) {
      await open(tab, path);
      found.push(...(await barriers(tab)).map((it) => `${name}: ${it}`));
      await shoot(tab, `${name}-${theme}`);
      // That a page does not exist is what it is asked about.
      if (name === "missing") complaints.length = 0;
    }
    assert.deepEqual(found, []);
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("at 360 px nothing has to be scrolled sideways, and nothing jumps", async () => {
  const { tab, complaints, close } = await openTab(browser, stoa.api, { width: 360, height: 740 });
  await tab.addInitScript(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  for (const [name, path] of Object.entries(pages)) {
    await open(tab, path);
    await fitsSideways(tab, path);
    await shoot(tab, `${name}-narrow`);
    if (name === "missing") complaints.length = 0;
    const shift = await tab.evaluate(() => globalThis.shift);
    if (name === "tokens") assert.ok(shift <= MOST_SHIFT, `${path} moves by ${shift}`);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("a swap is quoted, drawn and executed by a simulated account", async () => {
  const { tab, complaints, close } = await openTab(browser, stoa.api);
  await open(tab, `/swap?sell=${ETH}&buy=${USDC}&amount=2`);
  await tab.getByLabel("Trades as").selectOption({ index: 3 });
  const held = async () => {
    const { accounts } = await (await fetch(`${stoa.api}/simulator/accounts`)).json();
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
  const { tab, complaints, close } = await openTab(browser, stoa.api);
  await open(tab, `/swap?sell=${ETH}&buy=${USDC}`);
  const sold = tab.getByLabel("You sell, amount of ETH");
  const bought = tab.getByLabel("You buy, amount of USDC");
  await bought.fill("1000");
  const amount = async (side) => Number(await side.inputValue());
  await until("a part of an ETH is sold for it", async () => (await amount(sold)) > 0 && (await amount(sold)) < 2);
  await sold.fill("3");
  await until("three ETH buy more", async () => (await amount(bought)) > 3000);
  assert.deepEqual(complaints, []);
  await close();
});

test("the keyboard alone chooses tokens", async () => {
  const { tab, close } = await openTab(browser, stoa.api);
  await open(tab, "/swap");
  await tab.keyboard.press("Tab");
  assert.equal(await tab.evaluate(() => document.activeElement.textContent.trim()), "Skip to the page");
  await tab.keyboard.press("Enter");
  await tab.getByRole("button", { name: "You buy:" }).focus();
  await tab.keyboard.press("Enter");
  await tab.keyboard.type("wbtc");
  await tab.keyboard.press("Enter");
  await tab.getByLabel("You buy, amount of WBTC").waitFor();
  await close();
});

test("a lease is booked, paid by a simulated wallet, and becomes active", async () => {
  const { tab, complaints, close } = await openTab(browser, stoa.api);
  await open(tab, pages.validator);
  await signIn(tab, "trader");
  await tab.locator("button.cell.free:not(:disabled)").nth(30).click();
  await tab.getByRole("button", { name: "Book", exact: true }).click();
  await tab.getByRole("img", { name: "Solana Pay code" }).waitFor();
  await shoot(tab, "lease-to-pay");
  await tab.getByRole("button", { name: "Pay", exact: true }).click();
  await tab.getByText("Paid: the lease begins").waitFor();
  // Until the payment is final.
  await stoa.controlSolana("sim_mine", { slots: 40 });
  await tab.getByLabel("Lease: Active").waitFor();
  await tab.getByRole("link", { name: "All of your leases" }).click();
  await settled(tab);
  await tab.getByText("Active", { exact: true }).first().waitFor();
  await shoot(tab, "leases-of-trader");
  assert.deepEqual(await barriers(tab), []);
  assert.deepEqual(complaints, []);
  await close();
});

// A wallet as extensions put it into pages, by the wallet standard.
function announceWallet() {
  const base58 = (bytes) => {
    const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let [value, text] = [bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n), ""];
    for (; value > 0n; value /= 58n) text = letters[Number(value % 58n)] + text;
    return text;
  };
  let key;
  const chains = ["solana:localnet"];
  const connect = async () => {
    key ??= await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    const address = base58(new Uint8Array(await crypto.subtle.exportKey("raw", key.publicKey)));
    return { accounts: [{ address, chains }] };
  };
  const signMessage = async ({ message }) => [{ signature: new Uint8Array(await crypto.subtle.sign("Ed25519", key.privateKey, message)) }];
  const features = { "standard:connect": { connect }, "solana:signMessage": { signMessage } };
  const wallet = { name: "Wallet of the test", chains, accounts: [], features };
  const announce = ({ register }) => register(wallet);
  dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: announce }));
  addEventListener("wallet-standard:app-ready", (event) => announce(event.detail));
}

test("a Solana wallet signs in, and stays signed in when the page is loaded again", async () => {
  const { tab, complaints, close } = await openTab(browser, stoa.api);
  await tab.addInitScript(announceWallet);
  await open(tab, "/leases");
  await tab.getByRole("button", { name: "Wallet of the test" }).click();
  await tab.getByText("No lease yet").waitFor();
  await tab.reload();
  await tab.getByText("No lease yet").waitFor();
  await tab.getByRole("button", { name: "Sign out" }).click();
  await tab.getByText("Sign in to see yours").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("an injected Starknet wallet is handed the calls as they are built", async () => {
  const { tab, complaints, close } = await openTab(browser, stoa.api);
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
  await tab.getByLabel("Trades as").selectOption("Wallet of the test");
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

test("staff sees the audit log", async () => {
  const { tab, complaints, close } = await openTab(browser, stoa.api);
  await open(tab, "/staff");
  await signIn(tab, "staff");
  await tab.getByText("lease.booked").first().waitFor();
  await settled(tab);
  assert.deepEqual(await barriers(tab), []);
  await shoot(tab, "staff-signed-in");
  assert.deepEqual(complaints, []);
  await close();
});

test("a reorganisation repaints what is shown", async () => {
  const watching = await openTab(browser, stoa.api);
  await open(watching.tab, "/");
  await watching.tab.locator(".ticker.live").waitFor();
  const steering = await openTab(browser, stoa.api);
  await open(steering.tab, "/simulator");
  const reloaded = watching.tab.waitForResponse((response) => response.url().includes("/v3/tokens/table"));
  await steering.tab.getByRole("button", { name: "Reorganise" }).first().click();
  await steering.tab.getByText("Replaced the newest 3 blocks").waitFor();
  await watching.tab.getByText("The chain was reorganised").waitFor();
  await watching.tab.locator(".marks .replaced").first().waitFor();
  await reloaded;
  await shoot(watching.tab, "reorganised");
  assert.deepEqual([...watching.complaints, ...steering.complaints], []);
  await Promise.all([watching.close(), steering.close()]);
});

// A way to the service that can be cut.
async function doorTo(api) {
  const { hostname, port } = new URL(api);
  const open = new Set();
  const door = net.createServer((socket) => {
    const beyond = net.connect(Number(port), hostname);
    for (const end of [socket, beyond]) {
      open.add(end);
      end.on("error", () => {});
      end.on("close", () => open.delete(end));
    }
    socket.pipe(beyond).pipe(socket);
  });
  const listen = (at) => new Promise((resolve) => door.listen(at, hostname, resolve));
  await listen(0);
  const own = door.address().port;
  const shut = () => {
    const closed = new Promise((resolve) => door.close(resolve));
    for (const socket of open) socket.destroy();
    return closed;
  };
  return { address: `http://${hostname}:${own}`, shut, reopen: () => listen(own) };
}

test("a page goes on by itself when the service is back", async () => {
  const door = await doorTo(stoa.api);
  const { tab, close } = await openTab(browser, door.address);
  await open(tab, "/");
  await tab.locator(".ticker.live").waitFor();
  await door.shut();
  await tab.locator(".ticker.lost").waitFor();
  await door.reopen();
  await tab.locator(".ticker.live").waitFor();
  await close();
  await door.shut();
});

test("pages of others may not steer the networks", async () => {
  const body = JSON.stringify({ network: "starknet", method: "sim_mine", params: { blocks: 1 } });
  const ask = (origin) => fetch(`${stoa.api}/simulator/rpc`, { method: "POST", body, headers: { "content-type": "application/json", ...(origin ? { origin } : {}) } });
  assert.equal((await ask("https://attacker.example")).status, 403);
  assert.equal((await ask(stoa.api)).status, 200);
  assert.equal((await ask()).status, 200);
});
