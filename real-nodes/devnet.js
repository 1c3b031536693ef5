// A starknet-devnet of our own: started on a free port, steered by its control
// methods, and used by its funded accounts.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Account, CallData, RpcProvider, hash } from "starknet";

const CHAIN_ID = "SN_REAL_NODES";
const HEAD_START_S = 3 * 3_600;
const DEPLOYER = "0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf";
// Enough for everything that is done here, so that nothing has to be estimated.
const BOUNDS = {
  l1_gas: { max_amount: 100_000n, max_price_per_unit: 10n ** 15n },
  l1_data_gas: { max_amount: 100_000n, max_price_per_unit: 10n ** 15n },
  l2_gas: { max_amount: 1_000_000_000n, max_price_per_unit: 10n ** 12n },
};

// Its time begins some hours ago, so that time can pass before it is later than ours.
export async function startDevnet({ chainId = CHAIN_ID, archive = "full" } = {}) {
  const program = process.env.STARKNET_DEVNET;
  const args = ["--port", "0", "--seed", "7", "--accounts", "6", "--chain-id", chainId];
  args.push("--predeclare-argent", "--initial-balance", `${10n ** 26n}`, "--state-archive-capacity", archive);
  args.push("--start-time", `${Math.floor(Date.now() / 1_000) - HEAD_START_S}`);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    ended.then((status) => reject(new Error(`the devnet ended with status ${status}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const address = line.match(/listening on ([\d.]+:\d+)/)?.[1];
      if (address) resolve(`http://${address}/rpc`);
    });
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  const devnet = new Devnet(url, chainId, stop);
  await devnet.open();
  return devnet;
}

export async function rpc(url, method, params = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "Content-Type": "application/json" };
  const answer = await (await fetch(url, { method: "POST", headers, body })).json();
  if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error).slice(0, 2_000)}`);
  return answer.result;
}

class Devnet {
  constructor(url, chainId, stop) {
    Object.assign(this, { url, chainId, stop });
  }

  async open() {
    this.provider = await RpcProvider.create({ nodeUrl: this.url });
    const accounts = await this.ask("devnet_getPredeployedAccounts");
    this.accounts = accounts.map(({ address, private_key }) => {
      return new Account({ provider: this.provider, address, signer: private_key });
    });
    this.keys = accounts.map(({ private_key }) => private_key);
  }

  ask(method, params) {
    return rpc(this.url, method, params);
  }

  head() {
    return this.ask("starknet_blockHashAndNumber");
  }

  // Makes a class known, and gives its hash.
  async declare(contract) {
    const params = { state_diff: {}, classes: [{ contract_class: contract }] };
    const { classes } = await this.ask("devnet_applyStateDiff", params);
    await this.ask("devnet_createBlock");
    return classes[0].class_hash;
  }

  // Deploys a contract with its constructor, and gives its address.
  async deploy(classHash, args, salt = 0) {
    const calldata = CallData.compile(args);
    const call = [classHash, salt, 0, calldata.length, ...calldata];
    await this.execute([{ contractAddress: DEPLOYER, entrypoint: "deployContract", calldata: call }]);
    return hash.calculateContractAddressFromHash(salt, classHash, calldata, 0);
  }

  // Has an account make calls in one transaction, in a block of its own, and gives
  // its receipt.
  async execute(calls, account = this.accounts[0]) {
    const { transaction_hash } = await account.execute(calls, { resourceBounds: BOUNDS, tip: 0n });
    const receipt = await this.ask("starknet_getTransactionReceipt", { transaction_hash });
    if (receipt.execution_status !== "SUCCEEDED") {
      throw new Error(`reverted: ${receipt.revert_reason?.slice(0, 2_000)}`);
    }
    return receipt;
  }

  async view(contract, name, args = [], block_id = "latest") {
    const calldata = CallData.compile(args).map((felt) => `0x${BigInt(felt).toString(16)}`);
    const entry_point_selector = hash.getSelectorFromName(name);
    const request = { contract_address: contract, entry_point_selector, calldata };
    return this.ask("starknet_call", { request, block_id });
  }

  async balance(token, owner) {
    const [low, high] = await this.view(token, "balance_of", [owner]);
    return BigInt(low) + (BigInt(high) << 128n);
  }
}
