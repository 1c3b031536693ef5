// The program and the browser that all tests of the console share: starting either takes
// longer than most tests.
import { after, before } from "node:test";
import { startStoa, until } from "../../clients/stoa.js";
import { newTab, openBrowser } from "./browser.js";

export const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
export const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

/** `stoa` and `browser`, once the tests run. */
export const shared = {};

before(async () => {
  [shared.stoa, shared.browser] = await Promise.all([startStoa("--no-rate-limit"), openBrowser()]);
});

after(async () => {
  await shared.browser?.close();
  await shared.stoa?.stop();
});

/** A tab on the shared service, or on another. */
export const openTab = ({ api = shared.stoa.api, ...look } = {}) => newTab(shared.browser, api, look);

/** Somebody who offers a validator: simulated people come one after the other. */
export async function someValidator(api) {
  let found;
  await until("somebody offers a validator", async () => {
    const { data } = await (await fetch(`${api}/v1/validators?limit=1`)).json();
    found = data?.[0]?.public_id;
    return found !== undefined;
  });
  return found;
}

/** Every page that there is; `who` has to be signed in to see all of it. */
export async function allPages(api) {
  const validator = await someValidator(api);
  return [
    { name: "tokens", path: "/" },
    { name: "token", path: `/token/${ETH}` },
    { name: "token-line", path: `/token/${ETH}?view=line&resolution=1D` },
    { name: "token-table", path: `/token/${ETH}?view=table` },
    { name: "swap", path: `/swap?sell=${ETH}&buy=${USDC}&amount=100` },
    { name: "pools", path: "/pools" },
    { name: "venues", path: "/venues" },
    { name: "orders", path: "/orders" },
    { name: "staking", path: "/staking" },
    { name: "paymaster", path: "/paymaster" },
    { name: "validators", path: "/validators" },
    { name: "validator", path: `/validators/${validator}` },
    { name: "validator-to-book", path: `/validators/${validator}`, who: "trader" },
    { name: "leases", path: "/leases" },
    { name: "staff", path: "/staff" },
    { name: "staff-signed-in", path: "/staff", who: "staff" },
    { name: "status", path: "/status" },
    { name: "simulator", path: "/simulator" },
  ];
}
