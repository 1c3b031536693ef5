// Both generations of Solana's own client read and pay on the simulated node,
// unmodified.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as web3 from "@solana/web3.js";
import * as kit from "@solana/kit";
import { getTransferSolInstruction } from "@solana-program/system";
import { startStoa } from "./stoa.js";

const MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
const FINAL_SLOTS = 40;
const SOL = 1_000_000_000;

let stoa, accounts;
before(async () => {
  stoa = await startStoa();
  accounts = await stoa.controlSolana("sim_accounts");
});
after(async () => assert.equal(await stoa.stop(), 0));

const socket = () => stoa.solana.replace("http://", "ws://");
const finalise = () => stoa.controlSolana("sim_mine", { slots: FINAL_SLOTS });
const publicClusters = [
  "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
  "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
];

describe("@solana/web3.js 1.98", () => {
  const connect = () => new web3.Connection(stoa.solana, "confirmed");
  const wallet = (index) =>
    web3.Keypair.fromSecretKey(Uint8Array.from(accounts.wallets[index].secret_key_bytes));
  const memo = (text) =>
    new web3.TransactionInstruction({ keys: [], programId: new web3.PublicKey(MEMO), data: Buffer.from(text) });
  const payment = (from, to, lamports, reference) => {
    const transfer = web3.SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });
    transfer.keys.push({ pubkey: reference, isSigner: false, isWritable: false });
    return transfer;
  };

  test("reads the chain and its validators", async () => {
    const node = connect();
    assert.ok(!publicClusters.includes(await node.getGenesisHash()));
    const epoch = await node.getEpochInfo();
    assert.equal(epoch.absoluteSlot, epoch.epoch * epoch.slotsInEpoch + epoch.slotIndex);
    const schedule = await node.getEpochSchedule();
    assert.equal(schedule.getEpoch(epoch.absoluteSlot), epoch.epoch);
    const { current } = await node.getVoteAccounts();
    const identities = accounts.validators.map(({ identity }) => identity);
    assert.ok(current.every(({ nodePubkey }) => identities.includes(nodePubkey)));
    const leaders = await node.getLeaderSchedule();
    assert.equal(Object.values(leaders).flat().length, epoch.slotsInEpoch);
    assert.equal(await node.getMinimumBalanceForRentExemption(0), 890_880);
  });

  test("gets an airdrop", async () => {
    const node = connect();
    const to = web3.Keypair.generate().publicKey;
    const signature = await node.requestAirdrop(to, 2 * SOL);
    await finalise();
    assert.equal((await node.getSignatureStatus(signature)).value.confirmationStatus, "finalized");
    assert.equal(await node.getBalance(to, "finalized"), 2 * SOL);
  });

  test("pays with a memo, and finds the payment by its reference", async () => {
    const node = connect();
    const from = wallet(0);
    const [to, reference] = [web3.Keypair.generate().publicKey, web3.Keypair.generate().publicKey];
    const latest = await node.getLatestBlockhash();
    const transaction = new web3.Transaction({ feePayer: from.publicKey, ...latest })
      .add(memo("lease 1"), payment(from.publicKey, to, SOL, reference));
    assert.equal(await transaction.getEstimatedFee(node), 5_000);
    const simulated = await node.simulateTransaction(transaction, [from]);
    assert.equal(simulated.value.err, null);
    const signature = await node.sendTransaction(transaction, [from]);
    await finalise();
    const [line] = await node.getSignaturesForAddress(reference, {}, "finalized");
    assert.equal(line.signature, signature);
    assert.equal(line.memo, "[7] lease 1");
    const { meta, transaction: read } = await node.getParsedTransaction(signature, "finalized");
    assert.equal(meta.err, null);
    const place = read.message.accountKeys.findIndex(({ pubkey }) => pubkey.equals(to));
    assert.equal(meta.postBalances[place] - meta.preBalances[place], SOL);
    assert.equal(read.message.instructions[0].parsed, "lease 1");
    assert.equal(read.message.instructions[1].parsed.info.lamports, SOL);
  });

  test("sends and waits until it is confirmed", async () => {
    const node = new web3.Connection(stoa.solana, { commitment: "confirmed", wsEndpoint: socket() });
    const from = wallet(4);
    const to = web3.Keypair.generate().publicKey;
    const transaction = new web3.Transaction().add(payment(from.publicKey, to, SOL, to));
    const signature = await web3.sendAndConfirmTransaction(node, transaction, [from]);
    assert.equal(await node.getBalance(to), SOL);
    assert.equal((await node.getSignatureStatus(signature)).value.err, null);
  });

  test("sends version 0, and reads it back", async () => {
    const node = connect();
    const from = wallet(1);
    const to = web3.Keypair.generate().publicKey;
    const { blockhash } = await node.getLatestBlockhash();
    const message = new web3.TransactionMessage({
      payerKey: from.publicKey,
      recentBlockhash: blockhash,
      instructions: [web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000 }), memo("v0"), payment(from.publicKey, to, SOL, to)],
    }).compileToV0Message();
    const transaction = new web3.VersionedTransaction(message);
    transaction.sign([from]);
    const signature = await node.sendTransaction(transaction);
    await finalise();
    const read = await node.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    assert.equal(read.version, 0);
    assert.deepEqual(read.transaction.message.serialize(), message.serialize());
    await assert.rejects(node.getTransaction(signature), /maxSupportedTransactionVersion/);
  });

  test("is told why a transaction fails", async () => {
    const node = connect();
    const from = wallet(2);
    const transaction = new web3.Transaction()
      .add(payment(from.publicKey, from.publicKey, Number.MAX_SAFE_INTEGER, from.publicKey));
    const failure = await node.sendTransaction(transaction, [from]).catch((error) => error);
    assert.ok(failure instanceof web3.SendTransactionError, String(failure));
    assert.match(failure.message, /custom program error: 0x1/);
    assert.ok(failure.logs.some((line) => line.includes("insufficient lamports")));
  });
});

describe("@solana/kit 8", () => {
  const signer = (index) =>
    kit.createKeyPairSignerFromBytes(Uint8Array.from(accounts.wallets[index].secret_key_bytes));

  test("reads the chain", async () => {
    const rpc = kit.createSolanaRpc(stoa.solana);
    assert.equal(await rpc.getHealth().send(), "ok");
    const { epoch, slotIndex, slotsInEpoch, absoluteSlot } = await rpc.getEpochInfo().send();
    assert.equal(epoch * slotsInEpoch + slotIndex, absoluteSlot);
    const { value } = await rpc.getAccountInfo(accounts.wallets[5].address, { encoding: "base64" }).send();
    assert.equal(value.lamports, 10_000n * BigInt(SOL));
    const { current } = await rpc.getVoteAccounts().send();
    assert.ok(current.length > 20);
  });

  for (const version of ["legacy", 0]) {
    test(`builds, signs, sends and confirms a ${version} transaction`, async () => {
      const rpc = kit.createSolanaRpc(stoa.solana);
      const from = await signer(3);
      const to = await kit.generateKeyPairSigner();
      await rpc.requestAirdrop(to.address, kit.lamports(BigInt(SOL))).send();
      await finalise();
      const { value: latest } = await rpc.getLatestBlockhash().send();
      const memo = { programAddress: MEMO, data: new TextEncoder().encode(`kit ${version}`) };
      const transfer = getTransferSolInstruction({ source: from, destination: to.address, amount: 5n });
      const message = kit.pipe(
        kit.createTransactionMessage({ version }),
        (draft) => kit.setTransactionMessageFeePayerSigner(from, draft),
        (draft) => kit.setTransactionMessageLifetimeUsingBlockhash(latest, draft),
        (draft) => kit.appendTransactionMessageInstructions([memo, transfer], draft),
      );
      const signed = await kit.signTransactionMessageWithSigners(message);
      const signature = kit.getSignatureFromTransaction(signed);
      const rpcSubscriptions = kit.createSolanaRpcSubscriptions(socket());
      const sendAndConfirm = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
      await sendAndConfirm(signed, { commitment: "confirmed" });
      await finalise();
      const { value: [status] } = await rpc.getSignatureStatuses([signature]).send();
      assert.deepEqual([status.err, status.confirmationStatus], [null, "finalized"]);
      assert.equal((await rpc.getBalance(to.address).send()).value, BigInt(SOL) + 5n);
      const [line] = await rpc.getSignaturesForAddress(to.address, { limit: 1 }).send();
      assert.equal(line.memo, `[${`kit ${version}`.length}] kit ${version}`);
    });
  }
});
