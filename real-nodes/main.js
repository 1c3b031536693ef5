// Runs the rows one after the other, those of Starknet on one devnet and one Stoa,
// those of Solana on one validator and one Stoa, and prints the table. A row that
// fails does not keep the others from running; it fails the whole. With `--nodes` it
// only tells on which nodes the rows run.
import { startCluster } from "./cluster.js";
import { compileAll } from "./compile.js";
import { startDevnet } from "./devnet.js";
import { openLeasing } from "./leasing.js";
import { openMarket } from "./market.js";
import { startStoa } from "./stoa.js";
import { rows as first } from "./rows/first.js";
import { rows as executed } from "./rows/executed.js";
import { rows as recurring } from "./rows/services.js";
import { rows as hostile } from "./rows/hostile.js";
import { rows as nodes } from "./rows/nodes.js";
import { rows as leases } from "./rows/leases.js";
import { rows as clusters } from "./rows/clusters.js";

const ofStarknet = [...first, ...executed, ...recurring, ...hostile, ...nodes];
const ofSolana = [...leases, ...clusters];
const [cache, ...wanted] = process.argv.slice(2);
const results = [];
const isNamed = ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part));

// Later rows stand on what those bring about that are the ground.
async function runAll(rows, world) {
  for (const row of rows) {
    if (row.isGround || isNamed(row)) results.push(await run(row, world));
  }
}

async function onStarknet(rows) {
  if (!rows.some(isNamed)) return;
  const classes = compileAll(cache);
  const devnet = await startDevnet();
  const world = { classes, devnet, started: new Set() };
  try {
    world.market = await openMarket(devnet, classes);
    world.start = async (node, market, options) => {
      const stoa = await startStoa(node, market, options);
      world.started.add(stoa);
      return stoa;
    };
    world.stoa = await world.start(devnet.url, world.market, { settings: world.market.keys });
    await world.stoa.serves(devnet);
    await runAll(rows, world);
  } finally {
    for (const stoa of world.started) await stoa.stop();
    await devnet.stop();
  }
}

async function onSolana(rows) {
  if (!rows.some(isNamed)) return;
  const cluster = await startCluster();
  let market;
  try {
    market = await openLeasing(cluster);
    await runAll(rows, { cluster, market });
  } finally {
    await market?.stop();
    await cluster.stop();
  }
}

if (cache === "--nodes") {
  if (ofStarknet.some(isNamed)) console.log("starknet");
  if (ofSolana.some(isNamed)) console.log("solana");
} else {
  await onStarknet(ofStarknet);
  await onSolana(ofSolana);
  print(results);
  process.exitCode = results.length > 0 && results.every(({ ok }) => ok) ? 0 : 1;
}

async function run({ name, asserts, run }, world) {
  const begun = Date.now();
  const done = (ok, saw) => {
    const seconds = ((Date.now() - begun) / 1_000).toFixed(0);
    console.error(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s): ${saw}`);
    return { name, asserts, ok, saw };
  };
  try {
    return done(true, await run(world));
  } catch (error) {
    if (process.env.REAL_NODES_TRACE) console.error(error);
    return done(false, `${error.message}`.replaceAll("\n", " ").slice(0, 1_000));
  }
}

function print(results) {
  console.log("| row | asserts | saw | |\n|---|---|---|---|");
  for (const { name, asserts, ok, saw } of results) {
    console.log(`| ${name} | ${asserts} | ${saw.replaceAll("|", "\\|")} | ${ok ? "ok" : "**failed**"} |`);
  }
}
