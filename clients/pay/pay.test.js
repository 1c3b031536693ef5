// Wallets pay for leases: both generations of @solana/pay follow the link, sign
// and send what they get on the simulated node, and the lease becomes active.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createKeyPairSignerFromBytes, createSolanaRpc, getBase64EncodedWireTransaction,
  partiallySignTransaction,
} from "@solana/kit";
import { fetchTransaction, parseURL } from "@solana/pay";
import { Connection, Keypair } from "@solana/web3.js";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as pay0 from "solana-pay-0";
import { startStoa, until } from "../stoa.js";
import { ask, book, done, join, register } from "./people.js";
import { startProxy } from "./proxy.js";

const PRICE = { sol: "1.25", lamports: 1_250_000_000 };
// One in a hundred: the default.
const FEE = 12_500_000;

let proxy, stoa, market, accounts, validator, trader, wallet;

before(async () => {
  proxy = await startProxy();
  stoa = await startStoa("--public-url", proxy.url, "--no-sim-people");
  proxy.leadTo(stoa.api);
  market = proxy.url;
  accounts = await stoa.controlSolana("sim_accounts");
  const [owner, payer] = accounts.wallets;
  const bearer = await join(market, owner, "owner");
  const offer = { name: "first", payout_wallet: owner.address, price: PRICE };
  validator = await register(market, bearer, accounts.validators[0], offer);
  wallet = payer;
  trader = await join(market, payer, "trader");
});

after(async () => {
  await stoa?.stop();
  await proxy?.stop();
});

let nextEpoch;

// Books an epoch that nobody has.
async function lease() {
  nextEpoch ??= (await done(`${market}/v1/epoch`)).epoch + 1;
  const body = { validator_id: validator.public_id, epoch_start: nextEpoch, epoch_count: 1 };
  nextEpoch += 1;
  return book(market, trader, body);
}

// A trader has 60 requests a minute, and several leases are waited for.
const ASK_EVERY_MS = 1_000;

async function becomes(leaseId, state) {
  let seen;
  await until(`the lease is ${state}`, async () => {
    // Slots pass by themselves; this only hurries the finality along.
    await stoa.controlSolana("sim_mine", { slots: 40 });
    seen = await done(`${market}/v1/leases/${leaseId}`, { bearer: trader });
    return seen.state === state;
  }, ASK_EVERY_MS);
  return seen;
}

async function balance(address) {
  const { value } = await stoa.controlSolana("getBalance", [address, { commitment: "confirmed" }]);
  return value;
}

async function pays(payWith) {
  const booked = await lease();
  assert.equal(booked.payment.amount_lamports, PRICE.lamports);
  assert.deepEqual(booked.warnings ?? [], []);
  const wallets = [accounts.wallets[0].address, accounts.platform.address];
  const before = await Promise.all(wallets.map(balance));
  await payWith(booked.payment.solana_pay_url);
  const settled = await becomes(booked.lease_id, "active");
  assert.ok(settled.settled_signature);
  const gained = (await Promise.all(wallets.map(balance))).map((now, index) => now - before[index]);
  assert.deepEqual(gained, [PRICE.lamports - FEE, FEE]);
}

test("@solana/pay 1.0 fetches, signs and sends the payment", () =>
  pays(async (url) => {
    const { link } = parseURL(url);
    assert.equal(link.protocol, "https:");
    const rpc = createSolanaRpc(stoa.solana);
    const payer = await createKeyPairSignerFromBytes(Uint8Array.from(wallet.secret_key_bytes));
    const unsigned = await fetchTransaction(rpc, payer.address, link);
    const signed = await partiallySignTransaction([payer.keyPair], unsigned);
    const wire = getBase64EncodedWireTransaction(signed);
    await rpc.sendTransaction(wire, { encoding: "base64", preflightCommitment: "confirmed" }).send();
  }));

async function payWithWeb3(url) {
  const { link } = pay0.parseURL(url);
  const connection = new Connection(stoa.solana, "confirmed");
  const payer = Keypair.fromSecretKey(Uint8Array.from(wallet.secret_key_bytes));
  const transaction = await pay0.fetchTransaction(connection, payer.publicKey, link);
  transaction.sign(payer);
  await connection.sendRawTransaction(transaction.serialize());
}

test("@solana/pay 0.2 with web3.js 1.98 does so too", () => pays(payWithWeb3));

test("a browser may ask: the preflight allows what wallets send", async () => {
  const { payment } = await lease();
  const url = payment.solana_pay_url.replace(/^solana:/, "");
  const answer = await fetch(url, {
    method: "OPTIONS",
    headers: {
      Origin: "https://wallet.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "accept,cache-control,content-type",
    },
  });
  assert.ok(answer.ok, `${answer.status}`);
  const allowed = (name) => (answer.headers.get(name) ?? "").toLowerCase();
  assert.equal(allowed("access-control-allow-origin"), "*");
  for (const header of ["accept", "cache-control", "content-type"])
    assert.ok(allowed("access-control-allow-headers").includes(header), header);
  assert.ok(allowed("access-control-allow-methods").includes("post"));
});

test("what wallets show first is the same for every memo, and its icon is there", async () => {
  const { payment } = await lease();
  const known = await ask(payment.solana_pay_url.replace(/^solana:/, ""));
  const unknown = await ask(`${market}/v1/chain-pay/nobody`);
  assert.deepEqual(known.body, unknown.body);
  const icon = await fetch(known.body.icon);
  assert.ok(icon.ok);
  assert.match(icon.headers.get("content-type"), /^image\/svg\+xml/);
});

test("a refusal has a message that wallets show", async () => {
  const { status, body } = await ask(`${market}/v1/chain-pay/nobody`, {
    method: "POST", body: { account: wallet.address },
  });
  assert.equal(status, 404);
  assert.match(body.type, /\/errors\/chain-pay-memo-not-found$/);
  assert.equal(typeof body.message, "string");
  await assert.rejects(
    fetchTransaction(createSolanaRpc(stoa.solana), wallet.address, `${market}/v1/chain-pay/nobody`),
    /404/,
  );
});

test("a page explains every refusal", async () => {
  const { body } = await ask(`${market}/v1/leases/01KA0XJ8QG3V1B7Z5N9D2T6M4R`, { bearer: trader });
  const page = await fetch(body.type);
  assert.ok(page.ok);
  assert.match(await page.text(), /lease-not-found/);
});

test("jose verifies a lease token with the keys that the market publishes", async () => {
  const booked = await lease();
  await payWithWeb3(booked.payment.solana_pay_url);
  await becomes(booked.lease_id, "active");
  const epoch = async () => (await done(`${market}/v1/epoch`)).epoch;
  const ahead = booked.epoch_start - (await epoch());
  if (ahead > 0) await stoa.controlSolana("sim_advanceEpochs", { count: ahead });
  await until("the lease's epoch", async () => (await epoch()) === booked.epoch_start, ASK_EVERY_MS);
  const path = `${market}/v1/leases/${booked.lease_id}/token`;
  const minted = await done(path, { method: "POST", bearer: trader });
  const keys = createRemoteJWKSet(new URL(`${market}/.well-known/jwks.json`));
  const expected = { algorithms: ["ES256"], issuer: market, audience: validator.identity_pubkey };
  const { payload, protectedHeader } = await jwtVerify(minted.token, keys, expected);
  assert.equal(protectedHeader.alg, "ES256");
  assert.equal(payload.sub, booked.lease_id);
  assert.equal(payload.exp - payload.iat, 600);
  assert.deepEqual([payload.epoch_start, payload.epoch_end], [booked.epoch_start, booked.epoch_end]);
  const other = { ...expected, audience: accounts.validators[1].identity };
  await assert.rejects(jwtVerify(minted.token, keys, other), /aud/);
});
