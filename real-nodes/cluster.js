// A solana-test-validator of our own: one real validator with short epochs, whose
// faucet pays and which can be stopped and started again on the same chain.
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, Keypair, LAMPORTS_PER_SOL, SystemInstruction, Transaction } from "@solana/web3.js";
import { until } from "./stoa.js";

// About fifty seconds: a payment becomes final within an epoch.
const SLOTS_PER_EPOCH = 128;
const ANSWERS_WITHIN_MS = 180_000;
const FINAL_WITHIN_MS = 120_000;

// On free ports, or in the place of one that was killed.
export async function startCluster({ port, faucet } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stoa-solana-"));
  const cluster = new Cluster(folder, port ?? (await freePort()), faucet ?? (await freePort()));
  await cluster.start();
  return cluster;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

class Cluster {
  constructor(folder, port, faucet) {
    Object.assign(this, { folder, port, faucet, url: `http://127.0.0.1:${port}` });
    this.connection = new Connection(this.url, "confirmed");
  }

  // Begins a chain, or goes on with it.
  async start() {
    const args = ["--ledger", this.folder, "--rpc-port", `${this.port}`, "--faucet-port", `${this.faucet}`];
    args.push("--bind-address", "127.0.0.1", "--slots-per-epoch", `${SLOTS_PER_EPOCH}`, "--quiet");
    const log = openSync(`${this.folder}.log`, "a");
    this.child = spawn(process.env.SOLANA_TEST_VALIDATOR, args, { stdio: ["ignore", log, log] });
    this.ended = new Promise((resolve) => this.child.once("exit", resolve));
    const answers = until("the Solana node answers", () => this.connection.getEpochInfo("finalized"), () => this.log(), ANSWERS_WITHIN_MS);
    const failed = this.ended.then(async (status) => {
      throw new Error(`solana-test-validator ended with status ${status}: ${await this.log()}`);
    });
    await Promise.race([answers, failed]);
    failed.catch(() => {});
    this.genesis = await this.connection.getGenesisHash();
    const identity = readFileSync(join(this.folder, "validator-keypair.json"), "utf8");
    this.identity = wallet(Keypair.fromSecretKey(Uint8Array.from(JSON.parse(identity))));
  }

  async log() {
    return readFileSync(`${this.folder}.log`, "utf8").slice(-1_000);
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async stop() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(`${this.folder}.log`, { force: true });
  }

  async epoch() {
    return (await this.connection.getEpochInfo("confirmed")).epoch;
  }

  balance({ keys }) {
    return this.connection.getBalance(keys.publicKey, "finalized");
  }

  // A new wallet that holds so many SOL.
  async fund(sol) {
    const made = wallet(Keypair.generate());
    await this.final(await this.connection.requestAirdrop(made.keys.publicKey, sol * LAMPORTS_PER_SOL));
    return made;
  }

  // Signs a transaction with a blockhash of its own, and gives its signature.
  async send(instructions, payer, { skipPreflight = false } = {}) {
    const transaction = new Transaction({ feePayer: payer.keys.publicKey }).add(...instructions);
    transaction.recentBlockhash = (await this.connection.getLatestBlockhash()).blockhash;
    transaction.sign(payer.keys);
    return this.connection.sendRawTransaction(transaction.serialize(), { skipPreflight });
  }

  // Waits until a transaction cannot be taken back, and gives what became of it.
  async final(signature) {
    let status;
    const isFinal = async () => {
      const { value } = await this.connection.getSignatureStatuses([signature], { searchTransactionHistory: true });
      [status] = value;
      return status?.confirmationStatus === "finalized";
    };
    await until(`${signature} is final`, isFinal, async () => JSON.stringify(status), FINAL_WITHIN_MS);
    return status;
  }
}

// A key as web3.js and as the market's clients take it.
function wallet(keys) {
  return { keys, address: keys.publicKey.toBase58(), secret_key_bytes: [...keys.secretKey] };
}

// A transfer of less than was asked for, with the same accounts beside it.
export function shortened(transfer, by) {
  const { lamports } = SystemInstruction.decodeTransfer(transfer);
  const data = Buffer.from(transfer.data);
  data.writeBigUInt64LE(BigInt(lamports) - BigInt(by), 4);
  return { ...transfer, data };
}
