// The published aggregator SDK stakes with a real account of starknet.js on the
// simulated node: earns, withdraws, is refused too early, and restakes. The names
// of the public network's pools work there, too.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as sdk from "@avnu/avnu-sdk";
import { Account, CallData, RpcProvider } from "starknet";
import { startStoa, until } from "./stoa.js";

const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const WBTC = "0x3fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac";
const ONE = 10n ** 18n;
const DAY = 86_400;
const RETRY = { retryInterval: 50 };

let stoa;
let options;
let node;
let accounts;
before(async () => {
  stoa = await startStoa("--dialect", "avnu", "--no-rate-limit");
  options = { baseUrl: stoa.api };
  node = await RpcProvider.create({ nodeUrl: stoa.node });
  const known = await stoa.control("sim_accounts");
  accounts = known.map(({ address, private_key }) => new Account({ provider: node, address, signer: private_key }));
  await stoa.control("sim_pause");
  const isRead = async () => (await fetch(`${stoa.api}/staking/v3`)).status === 200;
  await until("the staker is read", isRead);
});
after(async () => assert.equal(await stoa.stop(), 0));

// Lets what was sent land, once answers are of it.
async function landed({ transactionHash }) {
  await stoa.serves(await stoa.control("sim_mine", { blocks: 1 }));
  const receipt = await node.waitForTransaction(transactionHash, RETRY);
  assert.ok(receipt.isSuccess(), receipt.revert_reason);
}

const wait = async (seconds) => stoa.serves(await stoa.control("sim_advance", { seconds }));

async function view(contractAddress, entrypoint, ...args) {
  const calldata = CallData.compile(args);
  return (await node.callContract({ contractAddress, entrypoint, calldata }, "latest")).map(BigInt);
}

describe("@avnu/avnu-sdk 4.0.1", () => {
  let pool;
  let bitcoin;
  test("reads the staker and its pools", async () => {
    const info = await sdk.getAvnuStakingInfo(options);
    assert.equal(info.selfStakedAmount, 500_000n * ONE);
    assert.ok(info.selfStakedAmountInUsd > 0);
    assert.equal(info.commission, 0.05);
    [pool, bitcoin] = info.delegationPools;
    assert.deepEqual([pool.tokenAddress, bitcoin.tokenAddress], [STRK, WBTC]);
    for (const { apr, stakedAmount, stakedAmountInUsd } of info.delegationPools) {
      assert.ok(apr > 0.005 && apr < 0.2, `${apr}`);
      assert.ok(stakedAmount > 0n && stakedAmountInUsd > 0);
    }
  });

  test("stakes, earns, restakes and withdraws after 21 days", async () => {
    const [account] = accounts;
    const of = () => sdk.getUserStakingInfo(STRK, account.address, options);
    const nobody = await of();
    assert.deepEqual([nobody.amount, nobody.unpoolTime, nobody.userActions], [0n, undefined, []]);
    const action = { provider: account, poolAddress: pool.poolAddress };
    await landed(await sdk.executeStake({ ...action, amount: 1_000n * ONE }, options));
    assert.deepEqual((await of()).amount, 1_000n * ONE);
    // By the pool's own address it is the same.
    assert.deepEqual(await sdk.getUserStakingInfo(pool.poolAddress, account.address, options), await of());
    await wait(10 * DAY);
    const rich = await of();
    const expected = (rich.expectedYearlyStrkRewards * 10n) / 365n;
    assert.ok(rich.unclaimedRewards > (expected * 999n) / 1000n, `${rich.unclaimedRewards} ${expected}`);
    assert.ok(rich.unclaimedRewardsInUsd > 0 && rich.tokenPriceInUsd > 0);
    const { calls } = await sdk.claimRewardsToCalls({ ...action, userAddress: account.address, restake: true }, options);
    assert.deepEqual(calls.map(({ entrypoint }) => entrypoint), ["claim_rewards", "approve", "add_to_delegation_pool"]);
    await landed(await sdk.executeClaimRewards({ ...action, restake: true }, options));
    const restaked = await of();
    assert.equal(restaked.amount, 1_000n * ONE + rich.unclaimedRewards);
    assert.ok(restaked.totalClaimedRewards >= rich.unclaimedRewards);
    await assert.rejects(sdk.executeUnstake(action, options), /no withdrawal was initiated/);
    await landed(await sdk.executeInitiateUnstake({ ...action, amount: restaked.amount }, options));
    const leaving = await of();
    assert.deepEqual([leaving.amount, leaving.unpoolAmount], [0n, restaked.amount]);
    const [{ type, metadata, gasFee }] = leaving.userActions;
    assert.deepEqual([type, gasFee, metadata.amount], ["StakingInitiateWithdrawal", null, restaked.amount]);
    assert.deepEqual(metadata.exitTimestamp, leaving.unpoolTime);
    await wait(20 * DAY);
    await assert.rejects(sdk.executeUnstake(action, options), /can be claimed from/);
    await wait(DAY);
    await landed(await sdk.executeUnstake(action, options));
    const gone = await of();
    assert.deepEqual([gone.amount, gone.unpoolAmount, gone.unpoolTime], [0n, 0n, undefined]);
    const done = ["StakingWithdraw", "StakingInitiateWithdrawal", "StakingStake", "StakingClaimRewards", "StakingStake"];
    assert.deepEqual(gone.userActions.map(({ type }) => type), done);
    assert.equal(gone.totalUserActionsCount, 5);
    await until("the days before have rates", async () => (await of()).aprs.length === 31);
    assert.ok((await of()).aprs.every(({ apr }) => apr > 0.05 && apr < 0.2));
  });

  test("is told what is wrong", async () => {
    const user = { poolAddress: pool.poolAddress, userAddress: accounts[1].address };
    await assert.rejects(sdk.stakeToCalls({ ...user, amount: 0n }, options), /amount must be more than 0/);
    await assert.rejects(sdk.initiateUnstakeToCalls({ ...user, amount: 1n }, options), /nothing staked/);
    await assert.rejects(sdk.getUserStakingInfo("0x77", user.userAddress, options), /404/);
    const restake = { ...user, poolAddress: bitcoin.poolAddress, restake: true };
    await assert.rejects(sdk.claimRewardsToCalls(restake, options), /paid in STRK/);
    const { calls } = await sdk.claimRewardsToCalls({ ...user, restake: false }, options);
    assert.deepEqual(calls.map(({ entrypoint }) => entrypoint), ["claim_rewards"]);
  });
});

test("pools are called by the names of the public network", async () => {
  const [, account] = accounts;
  const { delegationPools } = await sdk.getAvnuStakingInfo(options);
  const [{ poolAddress }] = delegationPools;
  const call = (contractAddress, entrypoint, ...args) => ({ contractAddress, entrypoint, calldata: CallData.compile(args) });
  const execute = async (...calls) => landed({ transactionHash: (await account.execute(calls)).transaction_hash });
  const approval = call(STRK, "approve", poolAddress, 7, 0);
  assert.deepEqual(await view(poolAddress, "get_pool_member_info_v1", account.address), [1n]);
  await execute(approval, call(poolAddress, "enter_delegation_pool", account.address, 7));
  const parameters = await view(poolAddress, "contract_parameters_v1");
  assert.equal(parameters[3], BigInt(STRK));
  await execute(call(poolAddress, "exit_delegation_pool_intent", 7));
  const [some, reward, amount, , , leaving, waits] = await view(poolAddress, "get_pool_member_info_v1", account.address);
  assert.deepEqual([some, reward, amount, leaving, waits], [0n, BigInt(account.address), 0n, 7n, 0n]);
  await wait(21 * DAY);
  await execute(call(poolAddress, "exit_delegation_pool_action", account.address));
  const member = await sdk.getUserStakingInfo(STRK, account.address, options);
  assert.deepEqual([member.amount, member.unpoolAmount, member.userActions.length], [0n, 0n, 3]);
});
