import { existsSync, readFileSync } from "node:fs";
import { defineConfig } from "vite";

// The service that pages under development ask: a running `stoa serve`.
const service = process.env.STOA_URL ?? "http://127.0.0.1:8080";

// Paths of the API; all others are the console's own.
const asked = "^/(v1|v3|swap/v3|dca/v3|staking/v3|paymaster/v1|simulator/|readyz|metrics|logo/)";

// What the service writes into the page.
const settings = {
  name: "settings",
  apply: "serve",
  transformIndexHtml: (html) => html.replace("__SETTINGS__", "network:starknet leases figures simulated"),
};

// What lies in the bundles, with the notices that its authors want to be kept.
const bundled = ["preact", "@preact/signals", "@preact/signals-core", "lightweight-charts", "fancy-canvas", "d3-sankey", "d3-array", "d3-shape", "d3-path", "internmap", "uqr"];

const licenses = {
  name: "licenses",
  apply: "build",
  generateBundle() {
    const notices = bundled.map((name) => {
      const folder = new URL(`node_modules/${name}/`, import.meta.url);
      const { version, license } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
      const files = ["LICENSE", "NOTICE"].map((file) => new URL(file, folder)).filter((file) => existsSync(file));
      const texts = files.map((file) => readFileSync(file, "utf8").trim());
      return [`${name} ${version} (${license})`, ...texts].join("\n\n");
    });
    this.emitFile({ type: "asset", fileName: "licenses.txt", source: `${notices.join("\n\n----\n\n")}\n` });
  },
};

export default defineConfig({
  plugins: [settings, licenses],
  build: {
    outDir: "../crates/api/src/console/dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // Node by its number, so that the service takes the page for its own.
    proxy: { [asked]: { target: service, changeOrigin: true, headers: { origin: service } } },
  },
});
