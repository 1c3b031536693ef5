// Starts the real program on free ports in a fresh folder and waits until it
// serves; what it printed says where.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const program = process.env.STOA_BIN;
if (!program) throw new Error("STOA_BIN is not set: run ./test, or set it to a built stoa");

// Ends what hangs; how soon it is ready is measured elsewhere.
const READY_WITHIN_MS = 180_000;
const TRUE_WITHIN_MS = 60_000;
const POLL_MS = 20;

export const startStoa = (...flags) => start(flags, {});

// With settings that have no flag, as environment variables.
export const startStoaWith = (settings, ...flags) => start(flags, settings);

// Anywhere and with nothing yet, or where another process was, with what it kept.
async function start(flags, settings, { folder, api, node } = {}) {
  folder ??= await mkdtemp(join(tmpdir(), "stoa-clients-"));
  const at = (url) => (url ? new URL(url).host : "127.0.0.1:0");
  const args = ["serve", "--listen", at(api), "--sim-listen", at(node), "--data", folder];
  const env = { ...process.env, STOA__SERVER__LOG: "warn", ...settings };
  const child = spawn(program, [...args, ...flags], { stdio: ["ignore", "pipe", "inherit"], env });
  const stoa = { api: undefined, node: undefined, solana: undefined, signer: undefined };
  const ended = new Promise((resolve) => child.once("exit", (status) => resolve(status)));
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      stoa.api ??= line.match(/^\s*api\s+(http:\S+)/)?.[1];
      stoa.node ??= line.match(/(http:\S+\/starknet)\b/)?.[1];
      stoa.solana ??= line.match(/(http:\S+\/solana)\b/)?.[1];
      stoa.signer ??= line.match(/^\s*signer\s+(0x\S+)/)?.[1];
      if (/^\s*ready\b/.test(line)) resolve();
    });
  });
  const failed = ended.then((status) => {
    throw new Error(`stoa ended with status ${status} before it was ready`);
  });
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("stoa was not ready in time")), READY_WITHIN_MS);
  });
  const end = async () => {
    child.kill("SIGTERM");
    return await ended;
  };
  const stop = async () => {
    const status = await end();
    await rm(folder, { recursive: true, force: true });
    return status;
  };
  try {
    await Promise.race([ready, failed, late]);
  } catch (error) {
    // The process would keep the test alive that gave up on it.
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  failed.catch(() => {});

  const steer = async (node, method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "Content-Type": "application/json" };
    const answer = await (await fetch(node, { method: "POST", headers, body })).json();
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  };
  stoa.control = (method, params = {}) => steer(stoa.node, method, params);
  stoa.controlSolana = (method, params = {}) => steer(stoa.solana, method, params);
  // Another process, which answers from what this one stores.
  stoa.replica = (...flags) => stoa.beside("api", ...flags);
  // Another process with the same store and no Solana node.
  stoa.beside = (roles, ...flags) => {
    const shared = ["--store", `sqlite:${folder}`, "--roles", roles, "--starknet-rpc", stoa.node];
    const aggregator = new URL("/aggregator/api/v3", stoa.node).href;
    return start([...shared, ...flags], { STOA__GLOBAL__URL: aggregator });
  };
  // Waits until answers are of a block.
  stoa.serves = ({ block_hash }) =>
    until(`block ${block_hash} is served`, async () => {
      const { parts } = await (await fetch(`${stoa.api}/readyz`)).json();
      return parts.starknet.blockHash === block_hash;
    });
  // Waits until the aggregator has answered, which nothing else waits for.
  stoa.knowsTheWiderMarket = () =>
    until("the aggregator has answered", async () => {
      const metrics = await (await fetch(`${stoa.api}/metrics`)).text();
      return /^stoa_global_tokens [1-9]/m.test(metrics);
    });
  stoa.stop = stop;
  // Stops, and starts again at the same place.
  stoa.restart = async () => {
    const status = await end();
    if (status !== 0) throw new Error(`stoa ended with status ${status}`);
    return start(flags, settings, { folder, ...stoa });
  };
  return stoa;
}

export async function until(statement, isTrue, pollMs = POLL_MS) {
  for (let waited = 0; waited < TRUE_WITHIN_MS; waited += pollMs) {
    if (await isTrue()) return;
    await sleep(pollMs);
  }
  throw new Error(`not in time: ${statement}`);
}
