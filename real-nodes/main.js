// Runs the rows one after the other on one devnet and one Stoa, and prints the
// table. A row that fails does not keep the others from running; it fails the whole.
import { compileAll } from "./compile.js";
import { startDevnet } from "./devnet.js";
import { openMarket } from "./market.js";
import { startStoa } from "./stoa.js";
import { rows as first } from "./rows/first.js";
import { rows as executed } from "./rows/executed.js";
import { rows as recurring } from "./rows/services.js";
import { rows as hostile } from "./rows/hostile.js";
import { rows as nodes } from "./rows/nodes.js";

const [cache, ...wanted] = process.argv.slice(2);
const rows = [...first, ...executed, ...recurring, ...hostile, ...nodes];
// Later rows stand on what these bring about.
const isNeeded = (row) => row.isGround || wanted.length === 0 || wanted.some((name) => row.name.includes(name));

const classes = compileAll(cache);
const devnet = await startDevnet();
const world = { classes, devnet, started: new Set() };
const results = [];
try {
  world.market = await openMarket(devnet, classes);
  world.start = async (node, market, options) => {
    const stoa = await startStoa(node, market, options);
    world.started.add(stoa);
    return stoa;
  };
  world.stoa = await world.start(devnet.url, world.market, { settings: world.market.keys });
  await world.stoa.serves(devnet);
  for (const row of rows.filter(isNeeded)) results.push(await run(row));
} finally {
  for (const stoa of world.started) await stoa.stop();
  await devnet.stop();
}
print(results);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;

async function run({ name, asserts, run }) {
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
