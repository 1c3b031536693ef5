// Webhooks, verified by the library of Standard Webhooks, unmodified.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Connection, Keypair } from "@solana/web3.js";
import { fetchTransaction, parseURL } from "solana-pay-0";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { startStoaWith, until } from "../stoa.js";
import { ask, book, done, guarded, join, register } from "./people.js";
import { startProxy } from "./proxy.js";

const PRICE = { sol: "2", lamports: 2_000_000_000 };
const ASK_EVERY_MS = 1_000;

// A receiver that verifies what it gets. Its first answer is a failure.
async function startReceiver() {
  const receiver = { events: [], raw: [], secret: undefined, failures: 1 };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    receiver.raw.push({ body, headers: request.headers });
    if (receiver.failures-- > 0) return response.writeHead(500).end();
    receiver.events.push(new Webhook(receiver.secret).verify(body, request.headers));
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${server.address().port}/stoa`;
  receiver.stop = () => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  return receiver;
}

test("a trader's receiver verifies what it is told of a lease, and gets again what it refused", async (t) => {
  const proxy = await startProxy();
  t.after(() => proxy.stop());
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const settings = { STOA__WEBHOOKS__ALLOW_LOOPBACK: "true" };
  const stoa = await startStoaWith(settings, "--public-url", proxy.url, "--no-sim-people");
  t.after(() => stoa.stop());
  proxy.leadTo(stoa.api);
  const market = proxy.url;
  const { wallets, validators } = await stoa.controlSolana("sim_accounts");
  const owner = await join(market, wallets[0], "owner");
  const offer = { name: "first", payout_wallet: wallets[0].address, price: PRICE };
  const validator = await register(market, owner, validators[0], offer);
  const trader = await join(market, wallets[1], "trader");

  const events = ["lease.activated", "lease.revoked"];
  const wish = { url: receiver.url, events };
  const made = await done(`${market}/v1/webhooks`, { method: "POST", bearer: trader, body: wish });
  receiver.secret = made.secret;
  const at = `${market}/v1/webhooks/${made.public_id}`;
  const inside = { url: "https://169.254.169.254/latest", events };
  const refused = await ask(`${market}/v1/webhooks`, { method: "POST", bearer: trader, body: inside });
  assert.equal(refused.status, 400);

  const { epoch } = await done(`${market}/v1/epoch`);
  const wanted = { validator_id: validator.public_id, epoch_start: epoch + 1, epoch_count: 2 };
  const booked = await book(market, trader, wanted);
  const connection = new Connection(stoa.solana, "confirmed");
  const payer = Keypair.fromSecretKey(Uint8Array.from(wallets[1].secret_key_bytes));
  const { link } = parseURL(booked.payment.solana_pay_url);
  const transaction = await fetchTransaction(connection, payer.publicKey, link);
  transaction.sign(payer);
  await connection.sendRawTransaction(transaction.serialize());

  // It is refused once, and comes again after ten seconds.
  const has = (count) => async () => {
    await stoa.controlSolana("sim_mine", { slots: 40 });
    return receiver.events.length >= count;
  };
  await until("the lease is told to be active", has(1), ASK_EVERY_MS);
  const [first, second] = receiver.raw;
  assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
  assert.equal(first.body, second.body);
  const [activated] = receiver.events;
  assert.equal(activated.type, "lease.activated");
  assert.equal(activated.id, second.headers["webhook-id"]);
  assert.equal(activated.data.lease_id, booked.lease_id);
  assert.equal(activated.data.detail.payer, wallets[1].address);

  // What somebody else wrote is not believed.
  const forged = second.body.replace("lease.activated", "lease.completed");
  const verifier = new Webhook(made.secret);
  assert.throws(() => verifier.verify(forged, second.headers), WebhookVerificationError);

  // With another secret, receivers that know either go on.
  const replaced = await done(`${at}/secret`, { method: "POST", bearer: trader });
  const revoke = `${market}/v1/validators/${validator.public_id}/leases/${booked.lease_id}/revoke`;
  await guarded(revoke, owner, { reason: "maintenance" });
  await until("the lease is told to be revoked", has(2), ASK_EVERY_MS);
  assert.equal(receiver.events[1].type, "lease.revoked");
  const third = receiver.raw.at(-1);
  new Webhook(replaced.secret).verify(third.body, third.headers);

  let rows;
  await until("both are delivered", async () => {
    rows = await done(`${at}/deliveries`, { bearer: trader });
    return rows.every(({ status }) => status === "delivered");
  }, ASK_EVERY_MS);
  assert.deepEqual(rows.map(({ type, attempts }) => [type, attempts]), [
    ["lease.revoked", 1], ["lease.activated", 2],
  ]);
});
