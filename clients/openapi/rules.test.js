// The documents keep the rules of redocly.yaml.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const documents = fileURLToPath(new URL("../../openapi/", import.meta.url));

test("every document keeps the rules", () => {
  const files = readdirSync(documents).map((name) => documents + name);
  assert.ok(files.some((name) => name.endsWith("/openapi.json")));
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
  const lint = ["node_modules/@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml", "--format", "checkstyle", ...files];
  const { status, stdout, stderr } = spawnSync(process.execPath, lint, { cwd: here, env, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});
