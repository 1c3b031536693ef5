// starknet.js 8.9 and 10 let one account act for another on the simulated node
// (SNIP-9), and deploy contracts through the universal deployers.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as starknet8 from "starknet";
import * as starknet10 from "starknet-10";
import { startStoa } from "./stoa.js";

const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const RETRY = { retryInterval: 50 };
const HOUR = 3600;

let stoa;
let accounts;
before(async () => {
  stoa = await startStoa();
  accounts = await stoa.control("sim_accounts");
});
after(async () => assert.equal(await stoa.stop(), 0));

// Each has an owner of either version, and somebody who acts for them.
const generations = [
  ["starknet.js 8", starknet8, "", { owner: 0, first: 7, relayer: 2 }],
  ["starknet.js 10", starknet10, "/rpc/v0_10", { owner: 1, first: 8, relayer: 3 }],
];
const NEITHER = 9;

for (const [name, starknet, path, places] of generations) {
  const { Account, CallData, OutsideExecutionVersion, RpcProvider, cairo, ec, hash, stark } = starknet;
  describe(name, () => {
    let node, relayer, now;
    const account = (place) => {
      const { address, private_key } = accounts[place];
      return new Account({ provider: node, address, signer: private_key });
    };
    before(async () => {
      node = await RpcProvider.create({ nodeUrl: stoa.node + path });
      relayer = account(places.relayer);
      now = (await node.getBlock("latest")).timestamp;
    });

    const payment = (amount) => ({
      contractAddress: STRK,
      entrypoint: "transfer",
      calldata: CallData.compile({ to: relayer.address, amount: cairo.uint256(amount) }),
    });
    const settled = async ({ transaction_hash }) => {
      await stoa.control("sim_mine");
      return node.waitForTransaction(transaction_hash, RETRY);
    };
    const times = () => ({ execute_after: now - HOUR, execute_before: now + HOUR });
    const bounds = async () => (await relayer.estimateInvokeFee([payment(1n), payment(1n), payment(1n)])).resourceBounds;

    for (const [kind, place, version] of [
      ["both versions", "owner", OutsideExecutionVersion.V2],
      ["version 1", "first", OutsideExecutionVersion.V1],
    ]) {
      test(`acts for an account that knows ${kind}`, async () => {
        const owner = account(places[place]);
        assert.equal(await owner.getSnip9Version(), version);
        const options = { caller: relayer.address, ...times() };
        const signed = await owner.getOutsideTransaction(options, [payment(5n), payment(6n)]);
        assert.equal(signed.version, version);
        const { nonce } = signed.outsideExecution;
        assert.ok(await owner.isValidSnip9Nonce(nonce));
        const receipt = await settled(await relayer.executeFromOutside(signed));
        assert.ok(receipt.isSuccess());
        assert.equal(receipt.events.length, 3);
        assert.ok(!(await owner.isValidSnip9Nonce(nonce)));
        assert.equal(BigInt(await node.getNonceForAddress(owner.address)), 0n);
        await assert.rejects(relayer.executeFromOutside(signed), /SRC9: duplicated nonce/);
      });
    }

    test("acts by version 1 for an account that knows both", async () => {
      const owner = account(places.owner);
      const options = { caller: "ANY_CALLER", ...times() };
      const version = OutsideExecutionVersion.V1;
      const signed = await owner.getOutsideTransaction(options, payment(7n), version);
      assert.ok((await settled(await relayer.executeFromOutside(signed))).isSuccess());
    });

    test("is refused too early, too late and for somebody else", async () => {
      const owner = account(places.owner);
      for (const [options, words] of [
        [{ execute_after: now + HOUR }, /SRC9: now <= execute_after/],
        [{ execute_before: now - 1 }, /SRC9: now >= execute_before/],
        [{ caller: accounts[5].address }, /SRC9: invalid caller/],
      ]) {
        const all = { caller: "ANY_CALLER", ...times(), ...options };
        const signed = await owner.getOutsideTransaction(all, payment(1n));
        await assert.rejects(relayer.executeFromOutside(signed), words);
        const resourceBounds = await bounds();
        const receipt = await settled(await relayer.executeFromOutside(signed, { resourceBounds }));
        assert.ok(receipt.isReverted());
        assert.match(receipt.revert_reason, words);
      }
    });

    test("is refused with another's signature", async () => {
      const owner = account(places.owner);
      const thief = new Account({ provider: node, address: owner.address, signer: "0x1234" });
      const signed = await thief.getOutsideTransaction({ caller: "ANY_CALLER", ...times() }, payment(1n));
      await assert.rejects(relayer.executeFromOutside(signed), /SRC9: invalid signature/);
    });

    test("cannot act for an account that knows neither version", async () => {
      const owner = account(NEITHER);
      assert.equal(await owner.getSnip9Version(), OutsideExecutionVersion.UNSUPPORTED);
      const options = { caller: "ANY_CALLER", ...times() };
      await assert.rejects(owner.getOutsideTransaction(options, payment(1n)), /nonce/);
      const version = OutsideExecutionVersion.V2;
      const signed = await owner.getOutsideTransaction(options, payment(1n), version, "0x1");
      await assert.rejects(relayer.executeFromOutside(signed), /[Ee]ntry ?point/);
    });

    test("has a signature of several parts checked", async () => {
      const owner = account(places.owner);
      const message = hash.getSelectorFromName("message");
      const { r, s } = ec.starkCurve.sign(message, accounts[places.owner].private_key);
      const { public_key } = accounts[places.owner];
      const is_valid = async (signature) => {
        const calldata = CallData.compile({ hash: message, signature });
        const call = { contractAddress: owner.address, entrypoint: "is_valid_signature", calldata };
        return BigInt((await node.callContract(call))[0]) !== 0n;
      };
      assert.ok(await is_valid([r, s]));
      assert.ok(await is_valid([1, 0, public_key, r, s]));
      assert.ok(!(await is_valid([1, 0, "0x1", r, s])));
    });

    for (const [which, deployer] of [
      ["the universal deployer", starknet.defaultDeployer],
      ["the legacy one", starknet.legacyDeployer],
    ]) {
      for (const unique of [true, false]) {
        test(`deploys by ${which}, unique ${unique}, where it says`, async () => {
          const { address, private_key } = accounts[places.relayer];
          const signer = new Account({ provider: node, address, signer: private_key, deployer });
          const classHash = await node.getClassHashAt(address);
          const salt = stark.randomAddress();
          const payload = { classHash, salt, unique, constructorCalldata: ["0x1234"] };
          const [computed] = deployer.buildDeployerCall(payload, address).addresses;
          const receipt = await settled(await signer.deploy(payload));
          assert.ok(receipt.isSuccess());
          const told = deployer.parseDeployerEvent(receipt.value ?? receipt);
          assert.equal(BigInt(told.address), BigInt(computed));
          assert.equal(BigInt(told.deployer), BigInt(address));
          assert.equal(BigInt(told.salt), BigInt(salt));
          assert.equal(BigInt(await node.getClassHashAt(computed)), BigInt(classHash));
          const call = { contractAddress: computed, entrypoint: "get_public_key", calldata: [] };
          assert.equal(BigInt((await node.callContract(call))[0]), 0x1234n);
          await assert.rejects(signer.deploy(payload), /already deployed/);
        });
      }
    }
  });
}
