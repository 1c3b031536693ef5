// Which path is which page. All but the first are loaded when they are opened.
import type { ComponentType } from "preact";
import { Tokens } from "./pages/tokens";
import { hasLeases, isSimulated } from "./lib/settings";

export interface PageProps {
  /** What the path names, if it names something. */
  id: string;
}

type Component = ComponentType<PageProps>;

interface Route {
  pattern: RegExp;
  load: () => Promise<Component> | Component;
}

const routes: Route[] = [
  { pattern: /^\/$/, load: () => Tokens },
  { pattern: /^\/token\/([^/]+)$/, load: () => import("./pages/token").then((it) => it.TokenPage) },
  { pattern: /^\/swap$/, load: () => import("./pages/swap").then((it) => it.Swap) },
  { pattern: /^\/pools$/, load: () => import("./pages/pools").then((it) => it.Pools) },
  { pattern: /^\/venues$/, load: () => import("./pages/venues").then((it) => it.Venues) },
  { pattern: /^\/orders$/, load: () => import("./pages/orders").then((it) => it.Orders) },
  { pattern: /^\/staking$/, load: () => import("./pages/staking").then((it) => it.Staking) },
  { pattern: /^\/paymaster$/, load: () => import("./pages/paymaster").then((it) => it.Paymaster) },
  { pattern: /^\/validators$/, load: () => import("./pages/validators").then((it) => it.Validators) },
  { pattern: /^\/validators\/([^/]+)$/, load: () => import("./pages/validator").then((it) => it.ValidatorPage) },
  { pattern: /^\/leases$/, load: () => import("./pages/leases").then((it) => it.Leases) },
  { pattern: /^\/staff$/, load: () => import("./pages/staff").then((it) => it.Staff) },
  { pattern: /^\/status$/, load: () => import("./pages/status").then((it) => it.Status) },
  { pattern: /^\/simulator$/, load: () => import("./pages/simulator").then((it) => it.Simulator) },
];

export interface Found {
  id: string;
  load: Route["load"];
}

export function find(path: string): Found | null {
  for (const { pattern, load } of routes) {
    const match = pattern.exec(path);
    if (match) return { id: decodeURIComponent(match[1] ?? ""), load };
  }
  return null;
}

export const isPage = (path: string): boolean => find(path) !== null;

/** What the navigation shows, in groups. */
export const navigation: [string, [string, string][]][] = [
  ["Markets", [["/", "Tokens"], ["/pools", "Pools"], ["/venues", "Venues"]]],
  ["Trading", [["/swap", "Swap"], ["/orders", "Orders"], ["/staking", "Staking"], ["/paymaster", "Paymaster"]]],
  ...(hasLeases ? ([["Validators", [["/validators", "Validators"], ["/leases", "Leases"], ["/staff", "Staff"]]]] as [string, [string, string][]][]) : []),
  ["Service", [["/status", "Status"], ...(isSimulated ? ([["/simulator", "Simulator"]] as [string, string][]) : [])]],
];
