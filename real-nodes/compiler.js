// Compiles the contract that it reads, and writes what the compiler says of it.
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileStarknetContract, initSync } from "wasm-cairo";

const folder = createRequire(import.meta.url).resolve("wasm-cairo");
initSync({ module: readFileSync(join(folder, "../wasm-cairo_bg.wasm")) });
const answer = Buffer.from(compileStarknetContract(readFileSync(0, "utf8"), true, true));
for (let written = 0; written < answer.length; ) written += writeSync(1, answer, written);
