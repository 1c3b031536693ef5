// A node that is slow, late or forgetful: passes calls on to a real one, and
// changes what it is told to.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { rpc } from "./devnet.js";

// `manner.delayMs` answers late; `manner.behind` hides the newest blocks;
// `manner.keeps` forgets the state of all but so many blocks; `manner.losesEvents`
// leaves those of the newest block out.
export async function startProxy(target, manner = {}) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    if (manner.delayMs) await sleep(manner.delayMs);
    const asked = JSON.parse(body);
    const answers = await Promise.all([asked].flat().map((one) => answer(target, manner, one)));
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A row that fails stops nothing, and the run ends all the same.
  server.unref();
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/rpc`, manner, stop };
}

async function answer(target, manner, asked) {
  const { block_number: newest } = await rpc(target, "starknet_blockHashAndNumber");
  const head = newest - (manner.behind ?? 0);
  const fails = (code, message) => ({ jsonrpc: "2.0", id: asked.id, error: { code, message } });
  const block = asked.params?.block_id;
  const height = await heightOf(target, block, head);
  if (height > head) return fails(24, "Block not found");
  const isState = ["starknet_call", "starknet_getClassHashAt", "starknet_getStorageAt"].includes(asked.method);
  if (isState && manner.keeps !== undefined && height <= head - manner.keeps) {
    return fails(-1, "the state of this block is not kept");
  }
  if (manner.behind && asked.method === "starknet_blockNumber") {
    return { jsonrpc: "2.0", id: asked.id, result: head };
  }
  if (manner.behind && asked.method === "starknet_blockHashAndNumber") {
    const { block_hash } = await rpc(target, "starknet_getBlockWithTxHashes", { block_id: { block_number: head } });
    return { jsonrpc: "2.0", id: asked.id, result: { block_hash, block_number: head } };
  }
  const params = block === "latest" && manner.behind ? { ...asked.params, block_id: { block_number: head } } : asked.params;
  const headers = { "Content-Type": "application/json" };
  const passed = await fetch(target, { method: "POST", headers, body: JSON.stringify({ ...asked, params }) });
  const answered = await passed.json();
  if (manner.losesEvents && asked.method === "starknet_getBlockWithReceipts" && height === head) {
    for (const { receipt } of answered.result.transactions) receipt.events = [];
  }
  return answered;
}

async function heightOf(target, block, head) {
  if (block?.block_number !== undefined) return block.block_number;
  if (block?.block_hash === undefined) return head;
  try {
    return (await rpc(target, "starknet_getBlockWithTxHashes", { block_id: block })).block_number;
  } catch {
    return head;
  }
}
