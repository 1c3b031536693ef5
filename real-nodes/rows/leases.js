// Leases that are paid, paid wrongly, extended, completed and paid back.
import assert from "node:assert/strict";
import {
  AddressLookupTableProgram, ComputeBudgetProgram, Keypair, SystemProgram, TransactionMessage, VersionedTransaction,
} from "@solana/web3.js";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { done } from "../../clients/pay/people.js";
import { shortened } from "../cluster.js";
import { PRICE } from "../leasing.js";
import { until } from "../stoa.js";

// Fifteen minutes to pay, two of grace, and some for the sweeper.
const EXPIRES_WITHIN_MS = 20 * 60_000;
const BOTH = ["owner", "platform"];

const sol = (lamports) => `${lamports / 1e9} SOL`;
const parts = ({ payout_lamports, fee_lamports }) => [payout_lamports, fee_lamports];

const registered = {
  name: "validator registered",
  asserts: "the node's validator is listed with the stake that the node tells; an identity that no vote account has is refused",
  isGround: true,
  async run({ market, cluster }) {
    const { public_id, identity_pubkey } = market.validator;
    assert.equal(identity_pubkey, cluster.identity.address);
    // Rewards make it grow with every epoch.
    let stake;
    const isSame = async () => {
      const { current } = await cluster.connection.getVoteAccounts("finalized");
      stake = current.find(({ nodePubkey }) => nodePubkey === identity_pubkey).activatedStake;
      return (await done(`${market.url}/v1/validators/${public_id}`)).stake_lamports === stake;
    };
    await until("the stake is the node's", isSame, async () => `${stake}`, 120_000);
    const stranger = Keypair.generate();
    const identity = { address: stranger.publicKey.toBase58(), secret_key_bytes: [...stranger.secretKey] };
    const refused = await market.register(identity).then(() => "registered", (error) => error.message);
    const [, slug] = refused.match(/errors\/([\w-]+)/) ?? [];
    assert.ok(slug, refused);
    return `a stake of ${sol(stake)}; a stranger: ${slug}`;
  },
};

const paid = {
  name: "lease paid",
  asserts: "two epochs are booked and paid with Solana Pay: both wallets gain their parts to the lamport, the lease is active once that is final, and in its first epoch has a token that its gateway verifies",
  isGround: true,
  async run({ market, cluster }) {
    const start = (await cluster.epoch()) + 2;
    const booked = await market.book(start, 2);
    assert.equal(booked.payment.amount_lamports, 2 * PRICE.lamports);
    let signature;
    const gained = await market.gains(BOTH, async () => {
      signature = await market.pay(booked.payment);
      await market.isActive(booked.lease_id);
    });
    assert.deepEqual(gained, parts(booked.payment));
    const lease = await market.lease(booked.lease_id);
    assert.equal(lease.settled_signature, signature);
    await market.reaches(start);
    const { token } = await market.post(`/v1/leases/${booked.lease_id}/token`, market.trader);
    const keys = createRemoteJWKSet(new URL(`${market.url}/.well-known/jwks.json`));
    const expected = { issuer: market.url, audience: cluster.identity.address };
    const { payload } = await jwtVerify(token, keys, expected);
    assert.deepEqual([payload.epoch_start, payload.epoch_end], [start, start + 2]);
    market.running = booked.lease_id;
    return `${sol(gained[0])} and ${sol(gained[1])} for the epochs ${start} and ${start + 1}, with a token`;
  },
};

const extended = {
  name: "extension paid",
  asserts: "an extension by one epoch is paid, and the lease's end moves",
  async run({ market }) {
    const before = await market.lease(market.running);
    const { payment } = await market.guarded(`/v1/leases/${market.running}/extend`, market.trader, { epoch_count: 1 });
    await market.pay(payment);
    const isLonger = ({ epoch_end }) => epoch_end === before.epoch_end + 1;
    const after = await market.becomes(market.running, "the lease is longer", isLonger);
    assert.equal(after.state, "active");
    assert.equal(after.total_lamports, before.total_lamports + PRICE.lamports);
    return `its end moved from ${before.epoch_end} to ${after.epoch_end}`;
  },
};

const short = {
  name: "lease paid short",
  asserts: "a payment that lacks a lamport is recorded as short, and the booking can still be paid",
  async run({ market, cluster }) {
    const { lease_id, payment } = await market.bookAhead();
    const [memo, share, fee] = await market.instructions(payment);
    const signature = await cluster.send([memo, shortened(share, 1), fee], market.wallets.trader);
    const { state, strays } = await market.becomes(lease_id, "the stray is seen", (lease) => lease.strays.length === 1);
    assert.equal(state, "pending_payment");
    const [stray] = strays;
    assert.deepEqual([stray.signature, stray.reason], [signature, "short"]);
    assert.deepEqual([stray.payout_lamports, stray.platform_lamports], [payment.payout_lamports - 1, payment.fee_lamports]);
    await market.pay(payment);
    await market.isActive(lease_id);
    return `short of ${payment.payout_lamports} by 1, then paid and active`;
  },
};

const doubled = {
  name: "lease paid twice",
  asserts: "a second payment is recorded as doubled; staff asks it back, both wallets pay their parts, which are recognised, and the trader has all of it again",
  async run({ market, cluster }) {
    const { lease_id, payment } = await market.bookAhead();
    const instructions = await market.instructions(payment);
    const { platform, owner, trader } = market.wallets;
    const first = await cluster.send(instructions, trader);
    await cluster.final(first);
    const second = await cluster.send(instructions, trader);
    const { state, settled_signature, strays } = await market.becomes(lease_id, "the stray is seen", (lease) => lease.strays.length === 1);
    assert.deepEqual([state, settled_signature], ["active", first]);
    assert.deepEqual([strays[0].signature, strays[0].reason], [second, "doubled"]);
    const refunds = await market.post(`/v1/admin/strays/${second}/refunds`, market.staff);
    const payers = { validator: owner, platform };
    const [gained] = await market.gains(["trader"], async () => {
      for (const refund of refunds) await market.pay(refund, payers[refund.debtor]);
      await market.becomes(lease_id, "the refunds are settled", areSettled);
    });
    assert.equal(gained, payment.amount_lamports);
    return `${sol(gained)} came twice and went back`;
  },
};

const areSettled = ({ refunds }) => refunds.length > 0 && refunds.every(({ status }) => status === "settled");

const failed = {
  name: "failed payment",
  asserts: "a transaction that is on the chain and failed pays nothing and leaves nothing; the next one pays",
  async run({ market, cluster }) {
    const { lease_id, payment } = await market.bookAhead();
    const { trader, owner } = market.wallets;
    const lamports = 2 * (await cluster.balance(trader));
    const tooMuch = SystemProgram.transfer({ fromPubkey: trader.keys.publicKey, toPubkey: owner.keys.publicKey, lamports });
    const instructions = await market.instructions(payment);
    const { err } = await cluster.final(await cluster.send([...instructions, tooMuch], trader, { skipPreflight: true }));
    assert.ok(err, "it did not fail");
    await market.pay(payment);
    const { strays } = await market.isActive(lease_id);
    assert.deepEqual(strays, []);
    return `${JSON.stringify(err)}, then paid`;
  },
};

const tabled = {
  name: "payment with an address table",
  asserts: "a wallet pays with a transaction of version 0 that takes both wallets from an address table and has a price for compute units: the lease is active",
  async run({ market, cluster }) {
    const { connection } = cluster;
    const { trader, owner, platform } = market.wallets;
    const { publicKey } = trader.keys;
    const common = { authority: publicKey, payer: publicKey };
    const recentSlot = await connection.getSlot("finalized");
    const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({ ...common, recentSlot });
    const addresses = [owner.keys.publicKey, platform.keys.publicKey];
    const extend = AddressLookupTableProgram.extendLookupTable({ ...common, lookupTable, addresses });
    await cluster.final(await cluster.send([create, extend], trader));
    const { value: table } = await connection.getAddressLookupTable(lookupTable);
    const { lease_id, payment } = await market.bookAhead();
    const { blockhash } = await connection.getLatestBlockhash();
    const instructions = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000 }),
      ...(await market.instructions(payment)),
    ];
    const message = new TransactionMessage({ payerKey: publicKey, recentBlockhash: blockhash, instructions }).compileToV0Message([table]);
    assert.equal(message.numAccountKeysFromLookups, 2);
    const transaction = new VersionedTransaction(message);
    transaction.sign([trader.keys]);
    const signature = await connection.sendTransaction(transaction);
    const { settled_signature } = await market.isActive(lease_id);
    assert.equal(settled_signature, signature);
    return `${message.numAccountKeysFromLookups} accounts from the table`;
  },
};

const completed = {
  name: "lease completed",
  asserts: "when the epochs of the lease are over it is completed, and has no token any more",
  async run({ market }) {
    const { epoch_end } = await market.lease(market.running);
    await market.reaches(epoch_end);
    const lease = await market.becomes(market.running, "the lease is completed", ({ state }) => state === "completed");
    const refused = await market.post(`/v1/leases/${market.running}/token`, market.trader).then(() => "a token", (error) => error.message);
    const [, slug] = refused.match(/errors\/([\w-]+)/) ?? [];
    assert.ok(slug, refused);
    return `completed after ${lease.epoch_count} epochs, in epoch ${epoch_end}; a token: ${slug}`;
  },
};

const revoked = {
  name: "lease revoked and refunded",
  asserts: "a lease of three epochs is revoked in its first: what is not used is owed to the lamport, both parts are paid back by their wallets and recognised, and the trader gains it",
  async run({ market, cluster }) {
    const path = `/v1/validators/${market.validator.public_id}`;
    const { next_free_epoch: free } = await done(`${market.url}${path}`);
    const start = Math.max(free, (await cluster.epoch()) + 2);
    const { lease_id, payment } = await market.book(start, 3);
    await market.pay(payment);
    await market.isActive(lease_id);
    await market.reaches(start);
    const revoked = await market.guarded(`${path}/leases/${lease_id}/revoke`, market.owner, { reason: "maintenance" });
    assert.equal(revoked.unused_epochs, 2);
    assert.equal(revoked.refund_due_lamports, 2 * PRICE.lamports);
    const payers = { validator: market.wallets.owner, platform: market.wallets.platform };
    const [gained] = await market.gains(["trader"], async () => {
      for (const refund of revoked.refunds) await market.pay(refund, payers[refund.debtor]);
      await market.becomes(lease_id, "the refunds are settled", areSettled);
    });
    assert.equal(gained, revoked.refund_due_lamports);
    return `${sol(gained)} of ${sol(payment.amount_lamports)} went back`;
  },
};

const late = {
  name: "lease paid late",
  asserts: "two bookings lapse after fifteen minutes and the grace; then one is paid late and is active, for its epoch is free; of the other the epoch is somebody's by then, and what was paid is recorded as orphaned",
  async run({ market, cluster }) {
    const [free, taken] = market.late;
    const { trader } = market.wallets;
    for (const { lease_id } of market.late) {
      const lapsed = async () => (await market.lease(lease_id)).state === "expired";
      await until("the booking lapses", lapsed, async () => JSON.stringify(await market.lease(lease_id)), EXPIRES_WITHIN_MS, 2_000);
    }
    const { created_at, ended_at } = await market.lease(free.lease_id);
    await market.book(taken.epoch_start, 1);
    await cluster.send(free.instructions, trader);
    const signature = await cluster.send(taken.instructions, trader);
    await market.isActive(free.lease_id);
    const { state, strays } = await market.becomes(taken.lease_id, "the stray is seen", (lease) => lease.strays.length === 1);
    assert.equal(state, "expired");
    assert.deepEqual([strays[0].signature, strays[0].reason], [signature, "orphaned"]);
    const minutes = (Date.parse(ended_at) - Date.parse(created_at)) / 60_000;
    return `lapsed after ${minutes.toFixed(1)} min; one active, one orphaned`;
  },
};

export const rows = [registered, paid, extended, short, doubled, failed, tabled, completed, revoked, late];
