// Leases: booked, paid, looked after.
import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, open, settled, shoot, signIn, tabTo } from "../browser.js";
import { openTab, shared, someValidator } from "../service.js";

test("a lease is booked, paid by a simulated wallet, and becomes active", async () => {
  const { tab, complaints, close } = await openTab();
  await open(tab, `/validators/${await someValidator(shared.stoa.api)}`);
  await signIn(tab, "trader");
  await tab.locator("button.cell.free:not(:disabled)").nth(30).click();
  await tab.getByRole("button", { name: "Book", exact: true }).click();
  await tab.getByRole("img", { name: "Solana Pay code" }).waitFor();
  await shoot(tab, "lease-to-pay");
  await tab.getByRole("button", { name: "Pay", exact: true }).click();
  await tab.getByText("Paid: the lease begins").waitFor();
  // Until the payment is final.
  await shared.stoa.controlSolana("sim_mine", { slots: 40 });
  await tab.getByLabel("Lease: Active").waitFor();
  await tab.getByRole("link", { name: "All your leases" }).click();
  await settled(tab);
  await tab.getByText("Active", { exact: true }).first().waitFor();
  await shoot(tab, "leases-of-trader");
  assert.deepEqual(await barriers(tab), []);
  assert.deepEqual(complaints, []);
  await close();
});

test("a booking needs nothing but the keyboard", async () => {
  const { tab, complaints, close } = await openTab();
  const validator = await someValidator(shared.stoa.api);
  await open(tab, `/validators/${validator}`);
  const press = async (name) => {
    await tabTo(tab, name);
    await tab.keyboard.press("Enter");
  };
  await press("Demo trader");
  await tab.getByRole("button", { name: "Book", exact: true }).waitFor();
  await press(/^Epoch \d+, free$/);
  await press("Book");
  await tab.getByRole("img", { name: "Solana Pay code" }).waitFor();
  await press("Pay");
  await tab.getByText("Paid: the lease begins").waitFor();
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
  const { tab, complaints, close } = await openTab();
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

test("staff sees the audit log", async () => {
  const { tab, complaints, close } = await openTab();
  await open(tab, "/staff");
  await signIn(tab, "staff");
  await tab.getByText("lease.booked").first().waitFor();
  await settled(tab);
  assert.deepEqual(await barriers(tab), []);
  await shoot(tab, "staff-signed-in");
  assert.deepEqual(complaints, []);
  await close();
});
