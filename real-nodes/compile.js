// Compiles the contracts, each once: what it gives is kept by the digest of its
// source. The compiler takes one file, and says nothing but that it failed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COMPILER = "wasm-cairo 0.10.2";
// Branches that fall through are written as the largest address of the machine that
// compiles, which has 32 bits here, and 64 wherever the program is read.
const NARROW_MAX = "0xffffffff";
const WIDE_MAX = "0xffffffffffffffff";
const here = new URL("./contracts/", import.meta.url);
const source = (name) => readFileSync(new URL(`${name}.cairo`, here), "utf8");

// What is compiled, and for variants which constant of the source is another one.
const CONTRACTS = {
  token: ["token"],
  pair: ["pair"],
  // Pays its buyers more than x·y = k with three thousandths would.
  generousPair: ["pair", "const KEPT: u256 = 997;", "const KEPT: u256 = 999;"],
  factory: ["factory"],
  vault: ["vault"],
  core: ["core"],
  olderCore: ["core", "const ROUNDS_ONCE: bool = true;", "const ROUNDS_ONCE: bool = false;"],
  exchange: ["exchange"],
  order: ["order"],
  orderFactory: ["order_factory"],
  staking: ["staking"],
  forwarder: ["forwarder"],
};

// Gives all classes by their names, as nodes take them.
export function compileAll(cache) {
  mkdirSync(cache, { recursive: true });
  const names = Object.keys(CONTRACTS);
  return Object.fromEntries(names.map((name) => [name, compiled(name, cache)]));
}

function compiled(name, cache) {
  const text = sourceOf(name);
  const digest = createHash("sha256").update(`${COMPILER}\n${text}`).digest("hex");
  const kept = join(cache, `${digest}.json`);
  try {
    return JSON.parse(readFileSync(kept, "utf8"));
  } catch {
    console.error(`compiling ${name}`);
  }
  const contract = compile(name, text);
  writeFileSync(`${kept}.new`, JSON.stringify(contract));
  renameSync(`${kept}.new`, kept);
  return contract;
}

function sourceOf(name) {
  const [file, constant, other] = CONTRACTS[name];
  const text = `${source("interfaces")}\n${source(file)}`;
  if (!constant) return text;
  if (!text.includes(constant)) throw new Error(`${file}.cairo has no "${constant}"`);
  return text.replace(constant, other);
}

// In a process of its own: the compiler takes memory for each contract, gives none
// back, and can have four gigabytes.
function compile(name, text) {
  const compiler = fileURLToPath(new URL("./compiler.js", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler], { input: text, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0 || !stdout.startsWith("{")) throw new Error(`${name} does not compile: ${stdout}${stderr}`);
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = JSON.parse(stdout);
  const program = sierra_program.map((felt) => (felt === NARROW_MAX ? WIDE_MAX : felt));
  return { sierra_program: program, contract_class_version, entry_points_by_type, abi: JSON.stringify(abi) };
}
