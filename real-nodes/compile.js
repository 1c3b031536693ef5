// Compiles the contracts, each once: what it gives is kept by the digest of its
// source. The compiler takes one file, and says nothing but that it failed.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileStarknetContract, initSync } from "wasm-cairo";

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

let isLoaded = false;
function compile(name, text) {
  if (!isLoaded) {
    const folder = createRequire(import.meta.url).resolve("wasm-cairo");
    initSync({ module: readFileSync(join(folder, "../wasm-cairo_bg.wasm")) });
    isLoaded = true;
  }
  const answer = compileStarknetContract(text, true, true);
  if (!answer.startsWith("{")) throw new Error(`${name} does not compile: ${answer}`);
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = JSON.parse(answer);
  const program = sierra_program.map((felt) => (felt === NARROW_MAX ? WIDE_MAX : felt));
  return { sierra_program: program, contract_class_version, entry_points_by_type, abi: JSON.stringify(abi) };
}
