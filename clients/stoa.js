// Starts the real program on free ports in a fresh folder and waits until it
// serves; what it printed says where.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const program = process.env.STOA_BIN;
if (!program) throw new Error("STOA_BIN is not set: run ./test, or set it to a built stoa");

const READY_WITHIN_MS = 60_000;

export async function startStoa(...flags) {
  const folder = await mkdtemp(join(tmpdir(), "stoa-clients-"));
  const args = ["serve", "--listen", "127.0.0.1:0", "--sim-listen", "127.0.0.1:0", "--data", folder];
  const env = { ...process.env, STOA__SERVER__LOG: "warn" };
  const child = spawn(program, [...args, ...flags], { stdio: ["ignore", "pipe", "inherit"], env });
  const stoa = { api: undefined, node: undefined };
  const ended = new Promise((resolve) => child.once("exit", (status) => resolve(status)));
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      stoa.api ??= line.match(/^\s*api\s+(http:\S+)/)?.[1];
      stoa.node ??= line.match(/(http:\S+\/starknet)\b/)?.[1];
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
  await Promise.race([ready, failed, late]).finally(() => clearTimeout(timer));
  failed.catch(() => {});

  stoa.control = async (method, params = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "Content-Type": "application/json" };
    const answer = await (await fetch(stoa.node, { method: "POST", headers, body })).json();
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  };
  stoa.stop = async () => {
    child.kill("SIGTERM");
    const status = await ended;
    await rm(folder, { recursive: true, force: true });
    return status;
  };
  return stoa;
}
