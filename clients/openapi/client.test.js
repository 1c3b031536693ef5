// A TypeScript client, generated from the document, compiles and works; so do the
// samples that the documentation shows.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { LANGUAGES, curl, sampleRequest } from "../../crates/api/src/docs/viewer/samples.js";
import { startStoa } from "../stoa.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const document = JSON.parse(readFileSync(new URL("../../openapi/openapi.json", import.meta.url), "utf8"));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })));

let stoa;
before(async () => {
  stoa = await startStoa();
});
after(() => stoa?.stop());

test("a client that is generated from the document compiles and works", async () => {
  mkdirSync(`${here}generated`, { recursive: true });
  // Otherwise what has a default would have to be sent.
  const types = await openapiTS(document, { defaultNonNullable: false });
  writeFileSync(`${here}generated/stoa.d.ts`, astToString(types));
  const compiler = ["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"];
  const { status, stdout } = spawnSync(process.execPath, compiler, { cwd: here, encoding: "utf8" });
  assert.equal(status, 0, stdout);

  const { build, connect, quote, refusal } = await import("./client.ts");
  const client = connect(stoa.api);
  const best = await quote(client, ETH, USDC, 10n ** 18n);
  assert.ok(BigInt(best.buyAmount) > 0n);
  const targets = await build(client, best, "0x1234");
  assert.equal(BigInt(targets[0]), BigInt(ETH));
  assert.match(await refusal(client), /^401 .*\/errors\/auth-required$/);
});

test("the served document is the one of the repository", async () => {
  assert.deepEqual(await (await fetch(`${stoa.api}/openapi.json`)).json(), document);
});

// Without anybody's credentials, and about tokens alone: nothing else has known names.
const isOpen = ({ method, path, operation }) =>
  method === "get" && operation.security.every((way) => !("bearer" in way)) &&
  !/stream|sponsor-activity|staking|chain-pay|onboarding|validators|stake/.test(path);

test("samples of what anybody may read are answered", async () => {
  const open = operations.filter(isOpen);
  assert.ok(open.length > 30, `${open.length}`);
  for (const { path, method } of open) {
    const { url, headers } = sampleRequest(document, path, method, stoa.api);
    const { status } = await fetch(url, { headers });
    assert.equal(status, 200, url);
  }
});

test("samples are programs", () => {
  const checks = {
    curl: ["sh", "-n"],
    javascript: [process.execPath, "--check", "--input-type=module", "-"],
    python: ["python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())"],
  };
  const requests = operations.map(({ path, method }) => sampleRequest(document, path, method, stoa.api));
  for (const { id, write } of LANGUAGES) {
    // In JavaScript each names its answer.
    const programs = requests.map(write).map((it) => (id === "javascript" ? `{${it}}` : it));
    const [program, ...flags] = checks[id];
    const { status, stderr } = spawnSync(program, flags, { input: programs.join("\n"), encoding: "utf8" });
    assert.equal(status, 0, `${id}: ${stderr}`);
  }
});

test("curl does what a sample says", () => {
  const request = sampleRequest(document, "/v3/tokens/prices", "post", stoa.api);
  const sample = curl({ ...request, body: { tokens: [ETH] } });
  const { stdout } = spawnSync("sh", ["-c", `${sample} --silent`], { encoding: "utf8" });
  assert.ok(stdout.endsWith("\n"));
  assert.equal(JSON.parse(stdout)[0].address, ETH);
});
