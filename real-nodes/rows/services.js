// Recurring orders, staking and the paymaster, with contracts of our own.
import assert from "node:assert/strict";
import { Account, PaymasterRpc, ec } from "starknet";
import { STRK, call, hex, portion } from "../market.js";
import { until } from "../stoa.js";
import { named } from "../trading.js";

const HOUR = 3_600;
const EXIT_SECONDS = 21 * 86_400;
// The devnet's own accounts know no outside execution; this class, which it also
// brings, does.
const ARGENT = "0x36078334509b514626504edc9fb252328d1a240e4e948bef8d0c08dff45927f";
const USER_KEY = "0x57a0a";

const pass = (devnet, seconds) => devnet.ask("devnet_increaseTime", { time: seconds });

const orders = {
  name: "recurring order",
  asserts: "an order of two cycles is created by the calls of the API, executed by the keeper when due, closed, and what was bought is what its trader received",
  async run({ stoa, market, devnet }) {
    const trader = devnet.accounts[3];
    const [dollar, ether] = market.tokens;
    await stoa.serves(devnet);
    const held = () => Promise.all([ether, dollar].map(({ address }) => devnet.balance(address, trader.address)));
    const before = await held();
    const { calls } = await stoa.post("/dca/v3/orders", {
      sellTokenAddress: ether.address,
      buyTokenAddress: dollar.address,
      sellAmount: hex(ether.whole),
      sellAmountPerCycle: hex(ether.whole / 2n),
      frequency: "PT1H",
      pricingStrategy: {},
      traderAddress: trader.address,
    });
    await devnet.execute(calls.map(named), trader);
    const listed = async () => (await stoa.get(`/dca/v3/orders?traderAddress=${trader.address}`)).content[0];
    const said = async () => JSON.stringify(await listed());
    for (const cycle of [1, 2]) {
      const isExecuted = async () => (await listed()).executedTradesCount === cycle;
      await until(`cycle ${cycle} is executed`, isExecuted, said);
      if (cycle === 1) await pass(devnet, HOUR);
    }
    await until("it is closed", async () => (await listed()).status === "CLOSED", said);
    const { amountSold, amountBought } = await listed();
    const after = await held();
    assert.equal(before[0] - after[0], BigInt(amountSold));
    assert.equal(after[1] - before[1], BigInt(amountBought));
    return `2 cycles, ${BigInt(amountBought)} units bought for ${BigInt(amountSold)}, both as the balances say`;
  },
};

const staking = {
  name: "staking",
  asserts: "stake, rewards, withdrawal and its end by the calls of the API; what the API says of the member is what the pool's view says",
  async run({ stoa, market, devnet }) {
    const user = devnet.accounts[4];
    const path = `/staking/v3/pools/${market.staking}/members/${user.address}`;
    const act = async (action, body = {}) => {
      await stoa.serves(devnet);
      const { calls } = await stoa.post(`${path}/${action}`, { userAddress: user.address, ...body });
      await devnet.execute(calls.map(named), user);
      await stoa.serves(devnet);
    };
    const same = async () => {
      const felts = await devnet.view(market.staking, "get_pool_member_info_v1", [user.address]);
      const member = await stoa.get(path);
      // Option, reward address, amount, rewards, commission, what is withdrawn.
      assert.equal(BigInt(member.amount), BigInt(felts[2]));
      assert.equal(BigInt(member.unpoolAmount), BigInt(felts[5]));
      return member;
    };
    await until("the staker is read", async () => (await stoa.get("/staking/v3")).delegationPools.length === 1);
    const amount = 1_000n * 10n ** 18n;
    await act("stake", { amount: hex(amount) });
    assert.equal(BigInt((await same()).amount), amount);
    await pass(devnet, HOUR);
    await act("claim-rewards", { restake: false });
    assert.ok(BigInt((await same()).totalClaimedRewards) > 0n, "nothing was claimed");
    await act("initiate-withdraw", { amount: hex(amount) });
    assert.equal(BigInt((await same()).unpoolAmount), amount);
    await pass(devnet, EXIT_SECONDS + 1);
    const before = await devnet.balance(STRK, market.staking);
    await act("claim-withdraw");
    assert.equal(before - (await devnet.balance(STRK, market.staking)), amount);
    const { userActions } = await same();
    return `${userActions.length} actions told: ${userActions.map(({ type }) => type).reverse().join(", ")}`;
  },
};

const paymaster = {
  name: "paymaster",
  asserts: "starknet.js has a transfer relayed that its user pays in RUSD: the transfer is made, no STRK of the user's is spent, no more than signed is paid",
  async run({ stoa, market, devnet }) {
    const [dollar, ether] = market.tokens;
    await stoa.serves(devnet);
    const relayed = new PaymasterRpc({ nodeUrl: stoa.api });
    await until("it is available", () => relayed.isAvailable());
    // Its owner is a Stark key, and it has no guardian.
    const address = await devnet.deploy(ARGENT, [0, ec.starkCurve.getStarkKey(USER_KEY), 1]);
    const gift = [dollar, ether].map((token) => call(token.address, "transfer", [address, portion(token), 0n]));
    await devnet.execute(gift);
    await stoa.serves(devnet);
    const user = new Account({ provider: devnet.provider, address, signer: USER_KEY, paymaster: relayed });
    const to = devnet.accounts[5].address;
    const held = () => Promise.all([
      devnet.balance(dollar.address, address),
      devnet.balance(STRK, address),
      devnet.balance(ether.address, to),
    ]);
    const payment = call(ether.address, "transfer", [to, 5n, 0n]);
    const details = { feeMode: { mode: "default", gasToken: dollar.address } };
    const estimate = await user.estimatePaymasterTransactionFee([payment], details);
    const most = BigInt(estimate.suggested_max_fee_in_gas_token);
    const before = await held();
    const { transaction_hash } = await user.executePaymasterTransaction([payment], details, most);
    const receipt = await devnet.ask("starknet_getTransactionReceipt", { transaction_hash });
    assert.equal(receipt.execution_status, "SUCCEEDED", receipt.revert_reason);
    const after = await held();
    const paid = before[0] - after[0];
    assert.ok(paid > 0n && paid <= most, `${paid} of ${most}`);
    assert.equal(after[1], before[1]);
    assert.equal(after[2] - before[2], 5n);
    return `${paid} of at most ${most} units of RUSD were paid`;
  },
};

export const rows = [orders, staking, paymaster];
