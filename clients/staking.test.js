// The published aggregator SDK stakes with a real account of starknet.js on the
// simulated node: earns, withdraws, is refused too early, and restakes. The names
// of the public network's pools work there, too.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as sdk from "@avnu/avnu-sdk";
import * as sdkOfOldZod from "avnu-sdk-with-zod-4.3";
import { Account, CallData, RpcProvider } from "starknet";
import { Account as Account9, RpcProvider as Provider9 } from "starknet-9";
// Its own entrance also wants optional packages, which staking needs none of.
import { Staking } from "./node_modules/starkzap/dist/src/staking/staking.js";
import { Amount } from "./node_modules/starkzap/dist/src/types/index.js";
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
    assert.deepEqual(Object.keys(await sdkOfOldZod.getAvnuStakingInfo(options)), Object.keys(info));
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
    // An older zod takes and refuses other things: both have to read everything.
    const of = async () => {
      await sdkOfOldZod.getUserStakingInfo(STRK, account.address, options);
      return sdk.getUserStakingInfo(STRK, account.address, options);
    };
    const plain = async () => {
      const path = `/staking/v3/pools/${STRK}/members/${account.address}`;
      return (await fetch(`${stoa.api}${path}`)).json();
    };
    const nobody = await of();
    assert.deepEqual([nobody.amount, nobody.unpoolTime, nobody.userActions], [0n, undefined, []]);
    const action = { provider: account, poolAddress: pool.poolAddress };
    await landed(await sdk.executeStake({ ...action, amount: 1_000n * ONE }, options));
    assert.deepEqual((await of()).amount, 1_000n * ONE);
    await wait(10 * DAY);
    const rich = await of();
    const expected = (rich.expectedYearlyStrkRewards * 10n) / 365n;
    assert.ok(rich.unclaimedRewards > (expected * 999n) / 1000n, `${rich.unclaimedRewards} ${expected}`);
    assert.ok(rich.unclaimedRewardsInUsd > 0 && rich.tokenPriceInUsd > 0);
    // Ten days on, what was realised is what was promised, and restaking is worth it soon.
    const { realisedApr, restake } = await plain();
    assert.ok(Math.abs(realisedApr / pool.apr - 1) < 0.01, `${realisedApr} of ${pool.apr}`);
    assert.equal(BigInt(restake.amount), rich.unclaimedRewards);
    const daily = (pool.apr * Number(restake.amount)) / 365;
    assert.ok(Math.abs((restake.breakEvenDays * daily) / Number(restake.gasFees) - 1) < 0.01, JSON.stringify(restake));
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
    assert.deepEqual([type, metadata.amount], ["StakingInitiateWithdrawal", restaked.amount]);
    assert.equal(gasFee.gasFeeTokenAddress, STRK);
    assert.ok(gasFee.gasFeeAmount > 0n && gasFee.gasFeeAmountUsd > 0);
    assert.deepEqual(metadata.exitTimestamp, leaving.unpoolTime);
    await wait(20 * DAY);
    await assert.rejects(sdk.executeUnstake(action, options), /can be claimed from/);
    await wait(DAY);
    await landed(await sdk.executeUnstake(action, options));
    const gone = await of();
    assert.deepEqual([gone.amount, gone.unpoolAmount, gone.unpoolTime], [0n, 0n, undefined]);
    const after = await plain();
    assert.ok(Math.abs(after.realisedApr / realisedApr - 1) < 0.02, `${after.realisedApr}`);
    // Blocks between the claim and the withdrawal have earned a little, or nothing.
    assert.equal(BigInt(after.restake?.amount ?? 0), gone.unclaimedRewards);
    const done = ["StakingWithdraw", "StakingInitiateWithdrawal", "StakingStake", "StakingClaimRewards", "StakingStake"];
    assert.deepEqual(gone.userActions.map(({ type }) => type), done);
    assert.equal(gone.totalUserActionsCount, 5);
    await until("the days before have rates", async () => (await of()).aprs.length === 31);
    // By the pool's own address it is the same, now that nothing is being read any more.
    assert.deepEqual(await sdk.getUserStakingInfo(pool.poolAddress, account.address, options), await of());
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

test("starkzap 3.0.0 stakes by the names of the public network", async () => {
  const [, { address, private_key: signer }] = await stoa.control("sim_accounts");
  const provider = new Provider9({ nodeUrl: stoa.node });
  const account = new Account9({ provider, address, signer });
  // What starkzap wants of a wallet.
  const wallet = { address, execute: (calls) => account.execute(calls) };
  const execute = async (sent) => landed({ transactionHash: (await sent).transaction_hash });
  const { delegationPools, stakerAddress } = await sdk.getAvnuStakingInfo(options);
  const [, , contract] = await view(delegationPools[0].poolAddress, "contract_parameters_v1");
  const token = { name: "Starknet Token", symbol: "STRK", decimals: 18, address: padded(STRK) };
  const staking = await Staking.fromStaker(stakerAddress, token, provider, { contract: padded(contract) });
  assert.equal(await staking.getCommission(), 5);
  assert.equal(await staking.getPosition(wallet), null);
  const amount = Amount.fromRaw(7n * ONE, staking.token);
  await execute(staking.enter(wallet, amount));
  await execute(staking.add(wallet, amount));
  await wait(DAY);
  const earned = await staking.getPosition(wallet);
  assert.equal(earned.staked.toBase(), 14n * ONE);
  assert.ok(earned.rewards.toBase() > 0n);
  await execute(account.execute([staking.populateClaimRewards(address)]));
  await execute(staking.exitIntent(wallet, Amount.fromRaw(14n * ONE, staking.token)));
  const leaving = await staking.getPosition(wallet);
  assert.deepEqual([leaving.staked.toBase(), leaving.unpooling.toBase()], [0n, 14n * ONE]);
  await wait(21 * DAY);
  // By its own clock, which is not the simulated one, it would wait.
  await execute(account.execute([staking.populateExit(address)]));
  const member = await sdk.getUserStakingInfo(STRK, address, options);
  assert.deepEqual([member.amount, member.unpoolAmount, member.userActions.length], [0n, 0n, 5]);
});

const padded = (address) => `0x${BigInt(address).toString(16).padStart(64, "0")}`;
