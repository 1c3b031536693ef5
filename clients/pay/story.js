// The life of two leases, from a validator's registration to a refund, as a gateway, a
// trader and an owner live it. `npm run story` tells it; the test beside holds it to its
// words.
import assert from "node:assert/strict";
import { Connection, Keypair } from "@solana/web3.js";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { fetchTransaction, parseURL } from "solana-pay-0";
import { startStoa, until } from "../stoa.js";
import { book, done, guarded, join, register } from "./people.js";
import { startProxy } from "./proxy.js";
import { ulid } from "./ulid.js";

const PRICE = { sol: "2", lamports: 2_000_000_000 };
// One in a hundred: the default.
const FEE_PER_EPOCH = 20_000_000;
// What a trader may ask in a minute is limited.
const ASK_EVERY_MS = 1_000;

export async function story(say) {
  const proxy = await startProxy();
  const stoa = await startStoa("--public-url", proxy.url, "--no-sim-people");
  try {
    proxy.leadTo(stoa.api);
    await tell(stoa, proxy.url, say);
  } finally {
    await stoa.stop();
    await proxy.stop();
  }
}

async function tell(stoa, market, say) {
  const accounts = await stoa.controlSolana("sim_accounts");
  const [ownersWallet, tradersWallet] = accounts.wallets;

  const owner = await join(market, ownersWallet, "owner");
  const offer = { name: "first", payout_wallet: ownersWallet.address, price: PRICE };
  const validator = await register(market, owner, accounts.validators[0], offer);
  const at = `${market}/v1/validators/${validator.public_id}`;
  say(`an owner registers the validator ${validator.identity_pubkey}`);

  const listed = await done(`${market}/v1/validators`);
  assert.ok(listed.some((one) => one.public_id === validator.public_id));
  say(`it is listed for ${PRICE.sol} SOL an epoch`);

  const trader = await join(market, tradersWallet, "trader");
  const epoch = async () => (await done(`${market}/v1/epoch`)).epoch;
  const first = (await epoch()) + 1;
  const wanted = { validator_id: validator.public_id, epoch_start: first, epoch_count: 2 };
  const booked = await book(market, trader, wanted);
  const lease = `${market}/v1/leases/${booked.lease_id}`;
  say(`a trader books the epochs ${first} and ${first + 1}`);

  const pay = async (url, wallet = tradersWallet) => {
    const connection = new Connection(stoa.solana, "confirmed");
    const payer = Keypair.fromSecretKey(Uint8Array.from(wallet.secret_key_bytes));
    const transaction = await fetchTransaction(connection, payer.publicKey, parseURL(url).link);
    transaction.sign(payer);
    await connection.sendRawTransaction(transaction.serialize());
  };
  const becomes = async (url, statement, isTrue) => {
    let seen;
    await until(statement, async () => {
      await stoa.controlSolana("sim_mine", { slots: 40 });
      seen = await done(url, { bearer: trader });
      return isTrue(seen);
    }, ASK_EVERY_MS);
    return seen;
  };
  const reaches = async (number) => {
    const ahead = number - (await epoch());
    if (ahead > 0) await stoa.controlSolana("sim_advanceEpochs", { count: ahead });
    await until(`epoch ${number}`, async () => (await epoch()) >= number, ASK_EVERY_MS);
  };
  await pay(booked.payment.solana_pay_url);
  await becomes(lease, "the lease is active", ({ state }) => state === "active");
  await reaches(first);
  say("pays with a wallet, and the lease is active when its first epoch comes");

  const { token } = await done(`${lease}/token`, { method: "POST", bearer: trader });
  const keys = createRemoteJWKSet(new URL(`${market}/.well-known/jwks.json`));
  const expected = { issuer: market, audience: validator.identity_pubkey };
  const { payload } = await jwtVerify(token, keys, expected);
  assert.equal(payload.sub, booked.lease_id);
  say("mints a token, which the validator's gateway verifies");

  const service = await done(`${at}/service-tokens`, {
    method: "POST", bearer: owner, body: { name: "gateway" },
  });
  const now = Date.now();
  const report = {
    report_id: ulid(), lease_id: booked.lease_id, signs_delta: 12_345,
    window_start: new Date(now - 60_000).toISOString(), window_end: new Date(now).toISOString(),
  };
  const reports = { method: "POST", bearer: service.token, body: { reports: [report, report] } };
  const taken = await done(`${market}/v1/usage/reports`, reports);
  assert.deepEqual(taken, { accepted: 1, duplicates: 1 });
  say(`the gateway reports ${report.signs_delta} signatures, twice; they count once`);

  const extended = await guarded(`${lease}/extend`, trader, { epoch_count: 1 });
  await pay(extended.payment.solana_pay_url);
  const longer = await becomes(lease, "the lease is longer", ({ epoch_end }) => epoch_end === first + 3);
  assert.equal(longer.state, "active");
  say(`the trader extends the lease by the epoch ${first + 2}`);

  await reaches(longer.epoch_end);
  const over = await becomes(lease, "the lease is completed", ({ state }) => state === "completed");
  assert.equal(over.signs_total, report.signs_delta);
  say("its epochs pass, and it is completed");

  const comment = "Answered every handshake.";
  const rating = await done(`${lease}/rating`, {
    method: "POST", bearer: trader, body: { stars: 5, comment },
  });
  await done(`${market}/v1/ratings/${rating.public_id}/reply`, {
    method: "POST", bearer: owner, body: { text: "Thank you." },
  });
  const [shown] = await done(`${at}/ratings`);
  assert.deepEqual([shown.stars, shown.comment, shown.reply.text], [5, comment, "Thank you."]);
  say("the trader gives five stars, and the owner replies");

  const second = (await epoch()) + 1;
  const another = await book(market, trader, { ...wanted, epoch_start: second, epoch_count: 3 });
  await pay(another.payment.solana_pay_url);
  const other = `${market}/v1/leases/${another.lease_id}`;
  await becomes(other, "the other lease is active", ({ state }) => state === "active");
  await reaches(second);
  const revoke = `${at}/leases/${another.lease_id}/revoke`;
  const revoked = await guarded(revoke, owner, { reason: "maintenance" });
  assert.equal(revoked.unused_epochs, 2);
  assert.equal(revoked.refund_due_lamports, 2 * PRICE.lamports);
  const owed = Object.fromEntries(revoked.refunds.map((it) => [it.debtor, it.amount_lamports]));
  const fees = 2 * FEE_PER_EPOCH;
  assert.deepEqual(owed, { validator: 2 * PRICE.lamports - fees, platform: fees });
  say("another lease is revoked in the first of its three epochs: two are owed back");

  for (const refund of revoked.refunds) await pay(refund.solana_pay_url, ownersWallet);
  const isPaid = ({ refunds }) => refunds.every(({ status }) => status === "settled");
  await becomes(other, "the refunds are settled", isPaid);
  say("both parts are paid back, and nothing is owed any more");
}

if (import.meta.filename === process.argv[1]) await story(console.log);
