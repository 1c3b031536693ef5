// Three generations of starknet.js transact on the simulated node, unmodified.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as starknet8 from "starknet";
import * as starknet9 from "starknet-9";
import * as starknet10 from "starknet-10";
import { startStoa } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const RETRY = { retryInterval: 50 };

let stoa;
let accounts;
before(async () => {
  stoa = await startStoa();
  accounts = await stoa.control("sim_accounts");
});
after(async () => assert.equal(await stoa.stop(), 0));

// Each has a sender and a receiver of its own.
const generations = [
  ["starknet.js 8", starknet8, "", 0],
  ["starknet.js 9", starknet9, "", 1],
  ["starknet.js 10", starknet10, "", 2],
  ["starknet.js 10 at 0.10", starknet10, "/rpc/v0_10", 3],
];

for (const [name, starknet, path, index] of generations) {
  describe(name, () => {
    const { Account, CallData, Contract, RpcProvider, cairo, ec, hash, stark } = starknet;
    let node, account, receiver;
    before(async () => {
      node = await RpcProvider.create({ nodeUrl: stoa.node + path });
      const { address, private_key } = accounts[index];
      account = new Account({ provider: node, address, signer: private_key });
      receiver = accounts[index + 5].address;
    });

    const transfer = (contractAddress, to, amount) => ({
      contractAddress,
      entrypoint: "transfer",
      calldata: CallData.compile({ to, amount: cairo.uint256(amount) }),
    });
    const balance = async (contractAddress, owner) => {
      const calldata = CallData.compile([owner]);
      const [low, high] = await node.callContract({ contractAddress, entrypoint: "balanceOf", calldata });
      return BigInt(low) + (BigInt(high) << 128n);
    };
    const settled = async ({ transaction_hash }) => {
      await stoa.control("sim_mine");
      return node.waitForTransaction(transaction_hash, RETRY);
    };

    test("estimates, sends and waits for a transfer", async () => {
      const mine = await balance(STRK, account.address);
      const theirs = await balance(STRK, receiver);
      const estimate = await account.estimateInvokeFee(transfer(STRK, receiver, 1000n));
      assert.ok(estimate.overall_fee > 0n);
      assert.equal(estimate.unit, "FRI");
      const receipt = await settled(await account.execute(transfer(STRK, receiver, 1000n)));
      assert.ok(receipt.isSuccess());
      const fee = BigInt(receipt.actual_fee.amount);
      assert.equal(await balance(STRK, account.address), mine - 1000n - fee);
      assert.equal(await balance(STRK, receiver), theirs + 1000n);
      const sent = await node.getTransactionByHash(receipt.transaction_hash);
      assert.equal(BigInt(sent.sender_address), BigInt(account.address));
    });

    test("makes several calls, all or none", async () => {
      const eth = await balance(ETH, receiver);
      const calls = [transfer(STRK, receiver, 1n), transfer(ETH, receiver, 2n)];
      const estimate = await account.estimateInvokeFee(calls);
      const done = await settled(await account.execute(calls));
      assert.ok(done.isSuccess());
      assert.equal(done.events.length, 3);
      assert.equal(await balance(ETH, receiver), eth + 2n);

      const failing = [transfer(ETH, receiver, 1n), transfer(ETH, receiver, 10n ** 40n)];
      await assert.rejects(account.estimateInvokeFee(failing), /ERC20: insufficient balance/);
      const { resourceBounds } = estimate;
      const reverted = await settled(await account.execute(failing, { resourceBounds }));
      assert.ok(reverted.isReverted());
      assert.match(reverted.revert_reason, /ERC20: insufficient balance/);
      assert.equal(await balance(ETH, receiver), eth + 2n);
    });

    test("deploys an account of its own", async () => {
      const classHash = await node.getClassHashAt(account.address);
      const privateKey = stark.randomAddress();
      const publicKey = ec.starkCurve.getStarkKey(privateKey);
      const constructorCalldata = CallData.compile({ public_key: publicKey });
      const address = hash.calculateContractAddressFromHash(publicKey, classHash, constructorCalldata, 0);
      const deployment = { classHash, constructorCalldata, addressSalt: publicKey };
      const fresh = new Account({ provider: node, address, signer: privateKey });
      await settled(await account.execute(transfer(STRK, address, 10n ** 18n)));
      const deployed = await settled(await fresh.deployAccount(deployment));
      assert.ok(deployed.isSuccess());
      assert.ok((await settled(await fresh.execute(transfer(STRK, receiver, 7n)))).isSuccess());
      assert.equal(BigInt(await node.getNonceForAddress(address)), 2n);
    });

    test("reads a contract by its published interface", async () => {
      const { abi } = await node.getClassAt(STRK);
      const token = new Contract({ abi, address: STRK, providerOrAccount: account });
      assert.equal(await token.balance_of(receiver), await balance(STRK, receiver));
      const receipt = await settled(await token.transfer(receiver, 9n));
      const [event] = token.parseEvents(receipt);
      assert.equal(event["stoa::contract::Transfer"].value, 9n);
    });

    test("is refused with another's key", async () => {
      const { resourceBounds } = await account.estimateInvokeFee(transfer(STRK, receiver, 1n));
      const thief = new Account({ provider: node, address: account.address, signer: "0x1234" });
      await assert.rejects(
        thief.execute(transfer(STRK, receiver, 1n), { resourceBounds }),
        /55: Account validation failed.*invalid signature/,
      );
    });

    test("has its messages verified", async () => {
      const fields = ["name", "version", "chainId", "revision"];
      const message = {
        types: {
          StarknetDomain: fields.map((field) => ({ name: field, type: "shortstring" })),
          Note: [{ name: "number", type: "felt" }],
        },
        primaryType: "Note",
        domain: { name: "Stoa", version: "1", chainId: "SN_STOA", revision: "1" },
        message: { number: "1" },
      };
      const signature = await account.signMessage(message);
      assert.ok(await node.verifyMessageInStarknet(message, signature, account.address));
      assert.ok(!(await node.verifyMessageInStarknet(message, signature, receiver)));
    });
  });
}
