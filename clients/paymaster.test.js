// starknet.js 8.9 and 10 and the aggregator's SDK, unmodified, have others send
// what their accounts sign, and pay for it in another token or not at all.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as sdk from "@avnu/avnu-sdk";
import moment from "moment";
import * as starknet8 from "starknet";
import * as starknet10 from "starknet-10";
import { startStoaWith, until } from "./stoa.js";

const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
// The factory of accounts, and the class of those that several own.
const FACTORY = "0x73746f615f6163636f756e745f666163746f7279";
const SIGNERS_CLASS = "0x129044205657744da45b90def87584066f391bbe12ccc52de673a031e138c6a";
const RETRY = { retryInterval: 50 };
const DEPTH = 2;
const SPONSOR = { "x-paymaster-api-key": "demo-sponsor-key" };

let stoa;
let accounts;
before(async () => {
  const settings = { STOA__PAYMASTER__DEPTH: `${DEPTH}`, STOA__PAYMASTER__PEOPLE: "false", STOA__DCA__PEOPLE: "false" };
  stoa = await startStoaWith(settings, "--dialect", "avnu", "--no-rate-limit", "--listen-paymaster", "127.0.0.1:0");
  accounts = await stoa.control("sim_accounts");
  // Blocks come only by asking.
  await stoa.control("sim_pause");
  await mine();
});
after(async () => assert.equal(await stoa.stop(), 0));

// So many blocks, once answers are of the last one.
async function mine(blocks = 1) {
  await stoa.serves(await stoa.control("sim_mine", { blocks }));
}

async function rpc(method, params, headers = {}, api = stoa.api) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(api, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });
  return answer.json();
}

const activity = async () => {
  const answer = await fetch(`${stoa.api}/paymaster/v1/sponsor-activity`, { headers: { "api-key": "demo-sponsor-key" } });
  assert.equal(answer.status, 200);
  return answer.json();
};

const generations = [
  ["starknet.js 8", starknet8, "", { owner: 0, first: 7, funder: 2 }],
  ["starknet.js 10", starknet10, "/rpc/v0_10", { owner: 1, first: 8, funder: 3 }],
];
const NEITHER = 9;

for (const [name, starknet, path, places] of generations) {
  const { Account, CallData, PaymasterRpc, RpcProvider, cairo, ec, hash, stark, typedData } = starknet;
  describe(name, () => {
    let node, free, sponsored;
    before(async () => {
      node = await RpcProvider.create({ nodeUrl: stoa.node + path });
      free = new PaymasterRpc({ nodeUrl: stoa.api });
      sponsored = new PaymasterRpc({ nodeUrl: stoa.api, headers: SPONSOR });
    });
    const signing = (address, signer, paymaster) => new Account({ provider: node, address, signer, paymaster });
    const account = (place, paymaster) => signing(accounts[place].address, accounts[place].private_key, paymaster);
    const payment = (token, to, amount) => ({
      contractAddress: token,
      entrypoint: "transfer",
      calldata: CallData.compile({ to, amount: cairo.uint256(amount) }),
    });
    const balance = async (token, owner) => {
      const [low, high] = await node.callContract({ contractAddress: token, entrypoint: "balanceOf", calldata: [owner] }, "latest");
      return BigInt(low) + (BigInt(high) << 128n);
    };
    const landed = async ({ transaction_hash }) => {
      await mine();
      const receipt = await node.waitForTransaction(transaction_hash, RETRY);
      assert.ok(receipt.isSuccess(), JSON.stringify(receipt));
      return receipt;
    };
    // An account that is not there yet, and what its deployment says.
    const stranger = (paymaster) => {
      const key = stark.randomAddress();
      const publicKey = ec.starkCurve.getStarkKey(key);
      const calldata = [publicKey];
      const address = hash.calculateContractAddressFromHash(publicKey, classHash, calldata, 0);
      const deployment = { address, class_hash: classHash, salt: publicKey, calldata, version: 1 };
      return { account: signing(address, key, paymaster), deployment };
    };
    let classHash;
    before(async () => {
      classHash = await node.getClassHashAt(accounts[0].address);
    });

    test("is available and says what can be paid in", async () => {
      assert.equal(await free.isAvailable(), true);
      const tokens = await free.getSupportedTokens();
      const strk = tokens.find(({ token_address }) => token_address === STRK);
      assert.equal(BigInt(strk.priceInStrk ?? strk.price_in_strk), 10n ** 18n);
      assert.ok(tokens.some(({ token_address, decimals }) => token_address === USDC && decimals === 6));
    });

    for (const [kind, place] of [["both versions of outside execution", "owner"], ["version 1", "first"]]) {
      test(`a user whose account knows ${kind} pays in USDC`, async () => {
        const user = account(places[place], free);
        const details = { feeMode: { mode: "default", gasToken: USDC } };
        const { suggested_max_fee_in_gas_token: most } = await user.estimatePaymasterTransactionFee([payment(ETH, USDC, 5n)], details);
        const before = [await balance(USDC, user.address), await balance(STRK, user.address), await balance(ETH, USDC)];
        await landed(await user.executePaymasterTransaction([payment(ETH, USDC, 5n)], details, most));
        const after = [await balance(USDC, user.address), await balance(STRK, user.address), await balance(ETH, USDC)];
        const paid = before[0] - after[0];
        assert.ok(paid > 0n && paid <= most, `${paid} of ${most}`);
        assert.equal(after[1], before[1]);
        assert.equal(after[2], before[2] + 5n);
      });

      test(`a sponsor pays for a user whose account knows ${kind}`, async () => {
        const user = account(places[place], sponsored);
        const details = { feeMode: { mode: "sponsored" } };
        const before = [await balance(STRK, user.address), await balance(ETH, USDC)];
        const { actual_fee } = await landed(await user.executePaymasterTransaction([payment(ETH, USDC, 7n)], details));
        assert.ok(BigInt(actual_fee.amount) > 0n);
        assert.equal(await balance(STRK, user.address), before[0]);
        assert.equal(await balance(ETH, USDC), before[1] + 7n);
      });
    }

    test("an account that knows no outside execution cannot be paid for", async () => {
      const calls = [{ to: ETH, selector: hash.getSelectorFromName("transfer"), calldata: [USDC, "0x1", "0x0"] }];
      const transaction = { type: "invoke", invoke: { user_address: accounts[NEITHER].address, calls } };
      const parameters = { version: "0x1", fee_mode: { mode: "default", gas_token: STRK } };
      const { error } = await rpc("paymaster_buildTransaction", { transaction, parameters });
      assert.equal(error.code, 156);
      assert.match(error.data.execution_error, /no outside execution/);
    });

    test("a sponsor deploys an account", async () => {
      const { account: user, deployment } = stranger(sponsored);
      const details = { feeMode: { mode: "sponsored" }, deploymentData: deployment };
      await landed(await user.executePaymasterTransaction([], details));
      assert.equal(BigInt(await node.getClassHashAt(user.address)), BigInt(classHash));
    });

    test("an account is deployed and acts in one transaction, and pays for both", async () => {
      const { account: user, deployment } = stranger(free);
      const funder = account(places.funder);
      await landed(await funder.execute([payment(USDC, user.address, 10n ** 6n)]));
      const details = { feeMode: { mode: "default", gasToken: USDC }, deploymentData: deployment };
      await landed(await user.executePaymasterTransaction([payment(USDC, funder.address, 3n)], details));
      const left = await balance(USDC, user.address);
      assert.ok(left < 10n ** 6n - 3n && left > 0n, `${left}`);
    });

    test("a sponsor pays for an account that is deployed and deploys another", async () => {
      const { account: user, deployment } = stranger(sponsored);
      const other = stranger(sponsored);
      const deployer = "0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf";
      const { class_hash, salt, calldata } = other.deployment;
      const call = { contractAddress: deployer, entrypoint: "deployContract", calldata: [class_hash, salt, 0, calldata.length, ...calldata] };
      const details = { feeMode: { mode: "sponsored" }, deploymentData: deployment };
      await landed(await user.executePaymasterTransaction([call], details));
      assert.equal(BigInt(await node.getClassHashAt(other.account.address)), BigInt(classHash));
    });

    // An account that four own, of whom two sign, and its deployment by the factory.
    const shared = (paymaster) => {
      const keys = [0, 1, 2, 3].map(() => stark.randomAddress());
      const owners = keys.map((key) => ec.starkCurve.getStarkKey(key));
      const calldata = ["0x2", "0x4", ...owners];
      const salt = owners[0];
      const address = hash.calculateContractAddressFromHash(salt, SIGNERS_CLASS, calldata, 0);
      const sign = (digest, count = 2) => {
        const one = (place) => {
          const { r, s } = ec.starkCurve.sign(digest, keys[place]);
          return ["0x0", owners[place], `0x${r.toString(16)}`, `0x${s.toString(16)}`];
        };
        return [`0x${count.toString(16)}`, ...[3, 1].slice(0, count).flatMap(one)];
      };
      const signer = {
        getPubKey: async () => owners[0],
        signMessage: async (document, owner) => sign(typedData.getMessageHash(document, owner)),
      };
      const sigdata = sign(hash.computePedersenHash(address, SIGNERS_CLASS));
      const deployment = { address, class_hash: SIGNERS_CLASS, salt, calldata, sigdata, version: 1 };
      return { account: signing(address, signer, paymaster), deployment, owners, sign };
    };

    test("an account of several owners comes from a factory, deploys another and pays", async () => {
      const { account: user, deployment, owners } = shared(free);
      const other = shared(free);
      const funder = account(places.funder);
      await landed(await funder.execute([payment(USDC, user.address, 5n * 10n ** 6n)]));
      const { class_hash, salt, calldata, sigdata } = other.deployment;
      const call = {
        contractAddress: FACTORY,
        entrypoint: "deploy_account",
        calldata: [class_hash, salt, calldata.length, ...calldata, sigdata.length, ...sigdata],
      };
      const details = { feeMode: { mode: "default", gasToken: USDC }, deploymentData: deployment };
      await landed(await user.executePaymasterTransaction([call], details));
      for (const address of [user.address, other.account.address]) {
        assert.equal(BigInt(await node.getClassHashAt(address)), BigInt(SIGNERS_CLASS));
      }
      const told = await node.callContract({ contractAddress: user.address, entrypoint: "get_signers", calldata: [] }, "latest");
      assert.deepEqual(told.map(BigInt), ["0x4", ...owners].map(BigInt));

      // Once it is there, its signatures are counted as costing more.
      const gift = payment(USDC, funder.address, 3n);
      const usual = { feeMode: { mode: "default", gasToken: USDC } };
      const [several, single] = [user, account(places.owner, free)];
      const fees = [];
      for (const one of [several, single]) fees.push(await one.estimatePaymasterTransactionFee([gift], usual));
      const [costly, cheap] = fees.map(({ estimated_fee_in_strk: fee }) => BigInt(fee));
      assert.ok(costly > cheap * 2n, `${costly} and ${cheap}`);
      const before = await balance(USDC, user.address);
      await landed(await user.executePaymasterTransaction([gift], usual));
      assert.ok(await balance(USDC, user.address) < before - 3n);
    });

    test("an account whose owners signed for no factory, or too few of them, is refused", async () => {
      const { account: user, deployment, sign } = shared(sponsored);
      const wrong = { ...deployment, sigdata: sign("0x1") };
      const parameters = { version: "0x1", fee_mode: { mode: "sponsored" } };
      const alone = await rpc("paymaster_executeTransaction", { transaction: { type: "deploy", deployment: wrong }, parameters }, SPONSOR);
      assert.equal(alone.error.code, 156);
      assert.match(JSON.stringify(alone.error.data), /owners did not sign/);
      await landed(await user.executePaymasterTransaction([], { feeMode: { mode: "sponsored" }, deploymentData: deployment }));
      const call = { to: ETH, selector: hash.getSelectorFromName("transfer"), calldata: [USDC, "0x0", "0x0"] };
      const transaction = { type: "invoke", invoke: { user_address: user.address, calls: [call] } };
      const { result } = await rpc("paymaster_buildTransaction", { transaction, parameters }, SPONSOR);
      const signature = sign(typedData.getMessageHash(result.typed_data, user.address), 1);
      const invoke = { user_address: user.address, typed_data: result.typed_data, signature };
      const few = await rpc("paymaster_executeTransaction", { transaction: { type: "invoke", invoke }, parameters }, SPONSOR);
      assert.equal(few.error.code, 153);
    });

    test("a deployment that its user pays for comes back as one that is signed", async () => {
      const { account: user, deployment } = stranger(free);
      await landed(await account(places.funder).execute([payment(USDC, user.address, 10n ** 6n)]));
      const parameters = { version: "0x1", fee_mode: { mode: "default", gas_token: USDC } };
      const { result } = await rpc("paymaster_buildTransaction", { transaction: { type: "deploy", deployment }, parameters });
      assert.equal(result.type, "deploy_and_invoke");
      assert.equal(result.typed_data.message.Calls.length, 1);
      const signature = stark.formatSignature(await user.signMessage(result.typed_data)).map((felt) => `0x${BigInt(felt).toString(16)}`);
      const invoke = { user_address: user.address, typed_data: result.typed_data, signature };
      const executed = await rpc("paymaster_executeTransaction", { transaction: { type: "deploy_and_invoke", deployment, invoke }, parameters });
      await landed(executed.result);
      assert.equal(BigInt(await node.getClassHashAt(user.address)), BigInt(classHash));
    });

    test("what was executed can be tracked", async () => {
      const user = account(places.owner);
      const parameters = { version: "0x1", fee_mode: { mode: "sponsored" } };
      const call = { to: ETH, selector: hash.getSelectorFromName("transfer"), calldata: [USDC, "0x1", "0x0"] };
      const transaction = { type: "invoke", invoke: { user_address: user.address, calls: [call] } };
      const { result } = await rpc("paymaster_buildTransaction", [{ transaction, parameters }], SPONSOR);
      const signature = stark.formatSignature(await user.signMessage(result.typed_data)).map((felt) => `0x${BigInt(felt).toString(16)}`);
      const invoke = { user_address: user.address, typed_data: result.typed_data, signature };
      const execute = () => rpc("paymaster_executeTransaction", { transaction: { type: "invoke", invoke }, parameters }, SPONSOR);
      const first = await execute();
      const track = async () => (await rpc("paymaster_trackingIdToLatestHash", { tracking_id: first.result.tracking_id })).result;
      assert.deepEqual(await track(), { transaction_hash: first.result.transaction_hash, status: "active" });
      // The same again is the same transaction.
      assert.deepEqual((await execute()).result, first.result);
      await landed(first.result);
      assert.equal((await track()).status, "accepted");
      assert.deepEqual((await execute()).result, first.result);
      const code = async (params) => (await rpc("paymaster_trackingIdToLatestHash", params)).error.code;
      for (const unknown of [["0x1"], [{ tracking_id: "0x1" }], { tracking_id: "0x1" }]) assert.equal(await code(unknown), 160);
      for (const wrong of [[], ["0x1", "0x2"], ["1"], [["0x1"]], {}]) assert.equal(await code(wrong), -32602);
    });
  });
}

describe("the aggregator's SDK", () => {
  let node, user, options;
  before(async () => {
    node = await starknet8.RpcProvider.create({ nodeUrl: stoa.node });
    user = new starknet8.Account({ provider: node, address: accounts[4].address, signer: accounts[4].private_key });
    options = { baseUrl: stoa.api };
  });
  const paymaster = (mode) => ({
    active: true,
    provider: new starknet8.PaymasterRpc({ nodeUrl: stoa.api, headers: SPONSOR }),
    params: { version: "0x1", feeMode: mode },
  });
  const landed = async ({ transactionHash }) => {
    await mine();
    const receipt = await node.waitForTransaction(transactionHash, RETRY);
    assert.ok(receipt.isSuccess(), JSON.stringify(receipt));
  };

  for (const mode of [{ mode: "sponsored" }, { mode: "default", gasToken: USDC }]) {
    test(`swaps, orders and stakes with fees ${mode.mode}`, async () => {
      const wanted = { sellTokenAddress: USDC, buyTokenAddress: ETH, sellAmount: 10n ** 7n, takerAddress: user.address };
      const [quote] = await sdk.getQuotes(wanted, options);
      await landed(await sdk.executeSwap({ provider: user, quote, slippage: 0.05, paymaster: paymaster(mode) }, options));
      const order = {
        traderAddress: user.address,
        sellTokenAddress: USDC,
        sellAmount: "4000000",
        sellAmountPerCycle: "2000000",
        buyTokenAddress: ETH,
        frequency: moment.duration(1, "hour"),
        pricingStrategy: {},
      };
      await landed(await sdk.executeCreateDca({ provider: user, order, paymaster: paymaster(mode) }, options));
      const { delegationPools } = await (await fetch(`${stoa.api}/staking/v3`)).json();
      const { poolAddress } = delegationPools.find(({ tokenAddress }) => tokenAddress === STRK);
      const stake = { provider: user, poolAddress, amount: 10n ** 18n, paymaster: paymaster(mode) };
      await landed(await sdk.executeStake(stake, options));
    });
  }
});

describe("refusals", () => {
  const transfer = starknet8.hash.getSelectorFromName("transfer");
  const call = (calldata = [USDC, "0x1", "0x0"]) => ({ to: ETH, selector: transfer, calldata });
  const invoke = (calls = [call()], place = 5) => ({ type: "invoke", invoke: { user_address: accounts[place].address, calls } });
  const strk = { mode: "default", gas_token: STRK };
  const build = async (transaction, fee_mode = strk, more = {}, headers = {}) => {
    const parameters = { version: "0x1", fee_mode, ...more };
    return rpc("paymaster_buildTransaction", { transaction, parameters }, headers);
  };
  const refused = ({ error, result }, code, name, data) => {
    assert.equal(result, undefined);
    assert.equal(error.code, code, JSON.stringify(error));
    assert.equal(error.message, `An error occurred (${name})`);
    if (data instanceof RegExp) assert.match(JSON.stringify(error.data), data);
    else assert.deepEqual(error.data, data);
  };
  const deployment = (changes = {}) => ({ address: "0x1", class_hash: "0x2", salt: "0x3", calldata: [], version: 1, ...changes });
  const pool = "0x73746f615f707269766163795f706f6f6c";
  const apply = (pool_address = pool) => ({ type: "apply_action", apply_action: { pool_address } });

  test("building is refused with the code that fits, in the documented order", async () => {
    const sponsored = { mode: "sponsored" };
    const isPrivate = { mode: "sponsored_private", pool_fee_token: STRK };
    refused(await build(invoke(), sponsored), 163, "UNKNOWN_ERROR", "x-paymaster-api-key is invalid");
    refused(await build(apply("0x5"), { ...isPrivate, pool_fee_token: "0x5" }, {}, { "x-paymaster-api-key": "x" }), 163, "UNKNOWN_ERROR", "x-paymaster-api-key is invalid");
    refused(await build(invoke(), { mode: "default", gas_token: "0x5" }), 151, "TOKEN_NOT_SUPPORTED");
    refused(await build(apply("0x5"), { ...isPrivate, pool_fee_token: "0x5" }, {}, SPONSOR), 151, "TOKEN_NOT_SUPPORTED");
    refused(await build(invoke(), isPrivate, {}, SPONSOR), 168, "SPONSORED_PRIVATE_REQUIRES_PRIVACY");
    refused(await build(apply("0x5"), isPrivate, {}, SPONSOR), 156, "TRANSACTION_EXECUTION_ERROR", { execution_error: "privacy pool address is not whitelisted" });
    refused(await build(invoke(), { mode: "sponsored", pool_fee: { paid_by: "sponsor" } }, {}, SPONSOR), 170, "POOL_FEE_REQUIRES_PRIVACY");
    refused(await build(apply(), sponsored, {}, SPONSOR), 171, "POOL_FEE_REQUIRED");
    refused(await build(apply(), { mode: "sponsored", pool_fee: { paid_by: "sponsor" } }, {}, SPONSOR), 172, "POOL_FEE_SPONSORING_NOT_ALLOWED");
    const past = { time_bounds: { execute_after: 1, execute_before: 2 } };
    refused(await build(invoke(), strk, past), 157, "INVALID_TIME_BOUNDS");
    refused(await build({ type: "invoke", invoke: { user_address: "0x5", calls: [call()] } }), 150, "INVALID_ADDRESS");
    refused(await build(invoke([])), 156, "TRANSACTION_EXECUTION_ERROR", { execution_error: "there are no calls" });
    refused(await build(invoke([call(["0x1", "0xffffffffffffffffffffffffffffffff", "0x0"])])), 156, "TRANSACTION_EXECUTION_ERROR", /balance|ERC20/i);
    refused(await build({ type: "deploy", deployment: deployment() }, sponsored, {}, SPONSOR), 158, "INVALID_DEPLOYMENT_DATA");
    const address = starknet8.hash.calculateContractAddressFromHash("0x3", "0x2", [], 0);
    refused(await build({ type: "deploy", deployment: deployment({ address }) }, sponsored, {}, SPONSOR), 155, "CLASS_HASH_NOT_SUPPORTED");
  });

  test("private transactions are built with what they have to pay", async () => {
    const isPrivate = { mode: "sponsored_private", pool_fee_token: USDC, tip: "fast" };
    const { result } = await build(apply(), isPrivate, {}, SPONSOR);
    assert.equal(result.type, "apply_action");
    assert.equal(result.typed_data, undefined);
    assert.deepEqual(result.parameters.fee_mode, isPrivate);
    const { type, recipient, token, amount } = result.fee_action;
    assert.deepEqual([type, recipient, token], ["withdraw", "0x73746f615f666f72776172646572", USDC]);
    assert.ok(BigInt(amount) > 0n && BigInt(amount) < BigInt(result.fee.suggested_max_fee_in_gas_token));
    const both = { ...invoke(), ...apply(), type: "invoke_and_apply_action" };
    const wrapped = (await build(both, isPrivate, {}, SPONSOR)).result;
    assert.equal(wrapped.type, "invoke_and_apply_action");
    assert.equal(wrapped.typed_data.message.Calls.length, 1);
    const paid = (await build(apply(), strk)).result;
    assert.equal(paid.fee_action.amount, paid.fee.suggested_max_fee_in_gas_token);
    const byUser = (await build(apply(), { mode: "sponsored", pool_fee: { paid_by: "user", token: STRK } }, {}, SPONSOR)).result;
    assert.equal(byUser.fee_action.amount, "0x16345785d8a0000");
    assert.equal(byUser.parameters.fee_mode.tip, "normal");
  });

  test("private actions are relayed as far as the simulated pool goes", async () => {
    const node = await starknet8.RpcProvider.create({ nodeUrl: stoa.node });
    const owner = new starknet8.Account({ provider: node, address: accounts[5].address, signer: accounts[5].private_key });
    const deposit = [
      { contractAddress: STRK, entrypoint: "approve", calldata: [pool, 10n ** 18n, 0] },
      { contractAddress: pool, entrypoint: "deposit", calldata: [STRK, 10n ** 18n, 0] },
    ];
    const deposited = await owner.execute(deposit);
    await mine();
    await node.waitForTransaction(deposited.transaction_hash, RETRY);
    const fee_mode = { mode: "sponsored_private", pool_fee_token: STRK };
    const { result } = await build(apply(), fee_mode, {}, SPONSOR);
    const { recipient, token, amount } = result.fee_action;
    const selector = starknet8.hash.getSelectorFromName("apply_actions");
    const actions = (paid) => ["0x6", "0x1", "0x3", recipient, token, paid, "0x0"];
    const execute = (to, calldata, mode = fee_mode, name = selector) => {
      const apply_action = { apply_actions_call: { to, selector: name, calldata }, proof: "", proof_facts: [] };
      const parameters = { version: "0x1", fee_mode: mode };
      return rpc("paymaster_executeTransaction", { transaction: { type: "apply_action", apply_action }, parameters }, SPONSOR);
    };
    refused(await execute(STRK, actions(amount)), 156, "TRANSACTION_EXECUTION_ERROR", /not whitelisted/);
    refused(await execute(pool, actions(amount), fee_mode, transfer), 156, "TRANSACTION_EXECUTION_ERROR", /apply_actions/);
    refused(await execute(pool, actions(amount), strk), 156, "TRANSACTION_EXECUTION_ERROR", /sponsors alone/);
    refused(await execute(pool, actions(amount), { mode: "sponsored" }), 171, "POOL_FEE_REQUIRED");
    refused(await execute(pool, actions("0x1")), 156, "TRANSACTION_EXECUTION_ERROR", /Gas fees are not paid/);
    const executed = await execute(pool, actions(amount));
    await mine();
    const receipt = await node.waitForTransaction(executed.result.transaction_hash, RETRY);
    assert.ok(receipt.isSuccess(), JSON.stringify(receipt));
  });

  test("what was changed, comes too late or was signed by another is not executed", async () => {
    const user = new starknet8.Account({ provider: { nodeUrl: stoa.node }, address: accounts[5].address, signer: accounts[5].private_key });
    const parameters = { version: "0x1", fee_mode: strk };
    const { result } = await rpc("paymaster_buildTransaction", { transaction: invoke(), parameters });
    const sign = async (typed_data, signer = user) =>
      starknet8.stark.formatSignature(await signer.signMessage(typed_data)).map((felt) => `0x${BigInt(felt).toString(16)}`);
    const execute = async (typed_data, signature, fee_mode = strk, headers = {}) => {
      const signed = { type: "invoke", invoke: { user_address: user.address, typed_data, signature } };
      return rpc("paymaster_executeTransaction", { transaction: signed, parameters: { version: "0x1", fee_mode } }, headers);
    };
    const good = result.typed_data;
    for (const change of [
      (it) => (it.message.Calls[1].Calldata[1] = "0x1"),
      (it) => (it.message["Execute Before"] = "0xffffffff"),
      (it) => it.message.Calls.pop(),
      (it) => (it.message.Nonce = "0x1"),
      (it) => (it.message.Caller = STRK),
      (it) => (it.domain.chainId = "SN_MAIN"),
    ]) {
      const changed = structuredClone(good);
      change(changed);
      refused(await execute(changed, await sign(changed)), 156, "TRANSACTION_EXECUTION_ERROR", /not what was built/);
    }
    // Nor for another who pays.
    refused(await execute(good, await sign(good), { mode: "sponsored" }, SPONSOR), 156, "TRANSACTION_EXECUTION_ERROR", /not what was built/);
    const thief = new starknet8.Account({ provider: { nodeUrl: stoa.node }, address: user.address, signer: accounts[6].private_key });
    refused(await execute(good, await sign(good, thief)), 153, "INVALID_SIGNATURE");
    refused(await execute(good, []), 153, "INVALID_SIGNATURE");
    const late = structuredClone(result);
    await stoa.control("sim_advance", { seconds: 3700 });
    await mine();
    refused(await execute(late.typed_data, await sign(late.typed_data)), 157, "INVALID_TIME_BOUNDS");
  });

  test("no contract of the operator's blacklist is called, and no more is taken than was signed", async () => {
    // What is signed covers what is expected and not what is taken.
    const settings = { STOA__PAYMASTER__BLACKLIST: ETH, STOA__PAYMASTER__MOST: "1000", STOA__PAYMASTER__MARGIN: "500" };
    const strict = await startStoaWith(settings, "--no-rate-limit");
    try {
      const parameters = { version: "0x1", fee_mode: strk };
      const ask = (method, transaction) => rpc(`paymaster_${method}Transaction`, { transaction, parameters }, {}, strict.api);
      const [{ address, private_key }] = await strict.control("sim_accounts");
      const invoking = (to) => ({ type: "invoke", invoke: { user_address: address, calls: [{ ...call(), to }] } });
      refused(await ask("build", invoking(ETH)), 163, "UNKNOWN_ERROR", "blacklisted calls");
      const { typed_data } = (await ask("build", invoking(STRK))).result;
      const user = new starknet8.Account({ provider: { nodeUrl: strict.node }, address, signer: private_key });
      const signed = starknet8.stark.formatSignature(await user.signMessage(typed_data));
      const signature = signed.map((felt) => `0x${BigInt(felt).toString(16)}`);
      const executed = await ask("execute", { type: "invoke", invoke: { user_address: address, typed_data, signature } });
      refused(executed, 154, "MAX_AMOUNT_TOO_LOW");
    } finally {
      await strict.stop();
    }
  });

  test("a body that is no call is answered as one", async () => {
    const send = async (body, headers = {}) => {
      const init = { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body };
      const answer = await fetch(stoa.api, init);
      return [answer.status, answer.status === 204 ? undefined : await answer.json()];
    };
    const code = async (body, headers) => {
      const [status, answer] = await send(body, headers);
      return [status, answer.error.code];
    };
    assert.deepEqual(await code("{"), [200, -32700]);
    assert.deepEqual(await code("[]"), [200, -32600]);
    assert.deepEqual(await code("3"), [200, -32600]);
    assert.deepEqual(await code('{"jsonrpc":"1.0","id":1,"method":"paymaster_health"}'), [200, -32600]);
    assert.deepEqual(await code('{"jsonrpc":"2.0","id":1,"method":"paymaster_nothing"}'), [200, -32601]);
    assert.deepEqual(await code('{"jsonrpc":"2.0","id":1,"method":"paymaster_buildTransaction"}'), [200, -32602]);
    assert.deepEqual(await code(" ".repeat(300_000)), [413, -32600]);
    assert.deepEqual(await code("{}", { "Content-Type": "text/plain" }), [415, -32600]);
    assert.deepEqual(await send('{"jsonrpc":"2.0","method":"paymaster_health"}'), [204, undefined]);
    const [, batch] = await send('[{"jsonrpc":"2.0","id":"a","method":"paymaster_health"},{"jsonrpc":"2.0","method":"paymaster_health"},{"jsonrpc":"2.0","id":null,"method":"x"}]');
    assert.deepEqual(batch.map(({ id, result, error }) => [id, result, error?.code]), [["a", true, undefined], [null, undefined, -32601]]);
    const version = await build(invoke(), strk, { version: "0x2" });
    assert.equal(version.error.code, -32602);
    const get = await fetch(stoa.api);
    assert.equal(get.status, 405);
    assert.equal((await get.json()).messages.length, 1);
  });

  test("a browser may call it from any page", async () => {
    const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,x-paymaster-api-key" };
    const answer = await fetch(stoa.api, { method: "OPTIONS", headers });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.match(answer.headers.get("access-control-allow-headers"), /x-paymaster-api-key/);
  });
});

test("a sponsor is charged what its transactions did cost, and users pay little more than theirs", async () => {
  await mine(DEPTH + 1);
  const settled = async () => {
    const { txCount, succeededTxCount } = await activity();
    return txCount >= 12 && succeededTxCount === txCount;
  };
  await until("sponsored transactions are final", settled);
  const { strkGasFees, succeededStrkGasFees, remainingStrkCredits, remainingCredits, gasFees } = await activity();
  assert.equal(strkGasFees, succeededStrkGasFees);
  assert.deepEqual([remainingCredits, gasFees], ["0x0", "0x0"]);
  const isWhole = async () => BigInt((await activity()).remainingStrkCredits) + BigInt((await activity()).strkGasFees) === 10n ** 24n;
  await until("nothing is reserved any more", isWhole);
  assert.ok(BigInt(remainingStrkCredits) < 10n ** 24n);
  const metrics = await (await fetch(`${stoa.api}/metrics`)).text();
  const ratio = Number(metrics.match(/^stoa_paymaster_paid_to_cost (\S+)$/m)[1]);
  assert.ok(ratio >= 1 && ratio <= 1.08, `${ratio}`);
});
