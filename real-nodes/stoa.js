// The program under test: started on a free port against a node, asked over HTTP.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const STARTS_WITHIN_MS = 60_000;
const TRUE_WITHIN_MS = 60_000;

// Against a Starknet node; `market` names the contracts that it has to know.
export async function startStoa(node, market, { settings = {}, folder = newFolder(), flags = [], api } = {}) {
  const file = (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const known = {
    STOA__STARKNET__EXPECT_CHAIN_ID: market.chainId,
    STOA__STARKNET__VENUES: file("venues.json", market.venues),
    STOA__STARKNET__ANCHORS: file("anchors.json", market.anchors),
    STOA__STARKNET__POLL: "100ms",
    STOA__STARKNET__MAX_HEAD_AGE: "24h",
    STOA__SWAP__EXCHANGE: market.exchange,
    ...market.settings,
    ...settings,
  };
  return launch(folder, ["--no-leasing", "--starknet-rpc", node, ...flags], known, api);
}

// Against a Solana node; beside it Starknet is simulated, with nothing to trade.
export async function startLeasing(node, { settings = {}, folder = newFolder(), flags = [] } = {}) {
  const known = { STOA__SIMNET__POOLS: "0", ...settings };
  return launch(folder, ["--solana-rpc", node, "--sim-listen", "127.0.0.1:0", ...flags], known);
}

const newFolder = () => mkdtempSync(join(tmpdir(), "stoa-real-nodes-"));

async function launch(folder, flags, settings, api = "127.0.0.1:0") {
  const args = ["serve", "--listen", api, "--data", folder, "--listen-operations", "127.0.0.1:0", "--no-rate-limit"];
  const env = { ...process.env, STOA__SERVER__LOG: "warn", ...settings };
  const child = spawn(process.env.STOA_BIN, [...args, ...flags], { stdio: ["ignore", "pipe", "pipe"], env });
  const stoa = new Stoa(child, folder);
  await stoa.listens();
  return stoa;
}

class Stoa {
  said = "";

  constructor(child, folder) {
    Object.assign(this, { child, folder });
    this.ended = new Promise((resolve) => child.once("exit", resolve));
    child.stderr.on("data", (text) => (this.said += text));
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.said += `${line}\n`;
      this.api ??= line.match(/^\s*api\s+(http:\S+)/)?.[1];
      this.operations ??= line.match(/^\s*operations\s+(http:\S+)\/readyz/)?.[1];
    });
  }

  async listens() {
    let status;
    this.ended.then((code) => (status = code));
    for (let waited = 0; waited < STARTS_WITHIN_MS && !this.operations; waited += 20) {
      if (status !== undefined) throw new Error(`stoa ended with status ${status}: ${this.said}`);
      await sleep(20);
    }
    if (!this.operations) throw new Error(`stoa does not listen: ${this.said}`);
  }

  async get(path) {
    const answer = await fetch(`${this.api}${path}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  async post(path, body, headers = {}) {
    const answer = await fetch(`${this.api}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  // What it says of the chain to those who run it, ready or not.
  async chain(name = "starknet") {
    const { parts } = await (await fetch(`${this.operations}/readyz`)).json();
    return parts[name];
  }

  async metric(line) {
    const metrics = await (await fetch(`${this.operations}/metrics`)).text();
    const found = metrics.split("\n").find((it) => it.startsWith(`${line} `));
    return found ? Number(found.slice(line.length + 1)) : 0;
  }

  // Waits until answers are of the node's newest block.
  async serves(devnet) {
    const head = await devnet.head();
    const is = async () => {
      const { blockHash, blockNumber } = await this.chain();
      const sameHash = blockHash && BigInt(blockHash) === BigInt(head.block_hash);
      return sameHash && blockNumber === head.block_number;
    };
    await until(`block ${head.block_number} is served`, is, async () => JSON.stringify(await this.chain()));
    return head;
  }

  // Ends it: at once, as a crash would, or in its own time.
  async kill(signal = "SIGKILL") {
    this.child.kill(signal);
    return await this.ended;
  }

  async stop() {
    const status = await this.kill("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
    return status;
  }
}

// Starts what must not start, and gives the line with which it ended.
export async function refusal(start) {
  const started = await start().catch((error) => {
    const [, said] = error.message.match(/stoa ended with status [12]: ([^]*)/) ?? [];
    if (!said) throw error;
    return said.trim().split("\n").at(-1);
  });
  if (typeof started === "string") return started;
  await started.kill();
  throw new Error("it was not refused");
}

export async function until(statement, isTrue, instead = async () => "", within = TRUE_WITHIN_MS, every = 50) {
  const end = Date.now() + within;
  for (;;) {
    if (await isTrue().catch(() => false)) return;
    if (Date.now() > end) throw new Error(`not in time: ${statement} ${await instead()}`);
    await sleep(every);
  }
}
