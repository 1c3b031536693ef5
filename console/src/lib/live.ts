// What happens on the chain while somebody looks: one stream for the whole page, closed
// while it is hidden. Where there is none, readiness is asked now and then, so that the
// page still moves.
import { computed, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, query } from "./api";
import { isVisible } from "./visibility";

export interface Block {
  number: number;
  hash: string;
  /** When it was seen here, in milliseconds. */
  seen: number;
  /** Whether it took the place of another. */
  replaced: boolean;
}

export interface Reorganisation {
  number: number;
  depth: number;
  seen: number;
}

export interface Price {
  priceUsd: number | null;
  change24h: number | null;
}

/** The newest blocks, the newest last. */
export const blocks = signal<Block[]>([]);
export const head = computed(() => blocks.value.at(-1));
/** Changes with every fourth block: often enough for lists that cost a request. */
export const pace = computed(() => Math.floor((head.value?.number ?? 0) / 4));
export const connection = signal<"connecting" | "live" | "polling" | "lost">("connecting");
export const reorganisation = signal<Reorganisation | null>(null);
/** Counts reorganisations: whatever tells of the past is loaded again. */
export const rewritten = signal(0);
export const prices = signal<ReadonlyMap<string, Price>>(new Map());
export const now = signal(Date.now());
/** Counts the news of the watched trader's orders. */
export const ordersChanged = signal(0);

const SHOWN_BLOCKS = 28;
const POLL_MS = 3_000;
const LONGEST_PAUSE_MS = 30_000;

type CandleListener = (candle: unknown) => void;

interface Wishes {
  tokens: string[];
  series: string | null;
  trader: string | null;
}

const wishes: Wishes = { tokens: [], series: null, trader: null };
let candleListener: CandleListener | null = null;
let source: EventSource | null = null;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Blocks up to this number take the place of others that were seen. */
let replacedUpTo = -1;

function arrived(number: number, hash: string): void {
  const newest = blocks.peek().at(-1);
  if (newest?.hash === hash) return;
  // Nobody told, as when the stream was opened anew meanwhile.
  if (newest && number <= newest.number) reorganised(number - 1, newest.number - number + 1);
  const block = { number, hash, seen: Date.now(), replaced: number <= replacedUpTo };
  blocks.value = [...blocks.peek(), block].slice(-SHOWN_BLOCKS);
}

/** A block that the stream told. One that does not follow says that others were missed. */
function told(number: number, hash: string): void {
  const newest = head.peek()?.number;
  arrived(number, hash);
  if (newest !== undefined && number > newest + 1) rewritten.value++;
}

function reorganised(number: number, depth: number): void {
  const known = blocks.peek();
  replacedUpTo = Math.max(known.at(-1)?.number ?? -1, number + depth);
  blocks.value = known.filter((block) => block.number <= number);
  reorganisation.value = { number, depth, seen: Date.now() };
  rewritten.value++;
}

function open(): void {
  close();
  const stream = new EventSource(query("/v3/stream", { tokens: wishes.tokens, series: wishes.series, trader: wishes.trader }));
  source = stream;
  const on = (event: string, act: (data: any) => void) =>
    stream.addEventListener(event, (message) => act(JSON.parse((message as MessageEvent<string>).data)));
  stream.onopen = () => {
    failures = 0;
    connection.value = "live";
  };
  stream.onerror = () => {
    if (source !== stream) return;
    connection.value = "lost";
    // The browser itself tries again, unless it was refused.
    if (stream.readyState === EventSource.CLOSED) refused();
  };
  on("block", (it) => told(it.number, it.hash));
  on("reorganisation", (it) => reorganised(it.number, it.depth));
  on("prices", (it: { prices: ({ address: string } & Price)[] }) => {
    const next = new Map(prices.peek());
    for (const one of it.prices) next.set(one.address, one);
    prices.value = next;
  });
  on("candle", (it) => {
    if (`${it.address}:${it.resolution}` === wishes.series) candleListener?.(it.candle);
  });
  on("orders", () => ordersChanged.value++);
  on("lagging", () => rewritten.value++);
}

function close(): void {
  clearTimeout(timer);
  source?.close();
  source = null;
}

function refused(): void {
  failures++;
  const pause = Math.min(1000 * 2 ** failures, LONGEST_PAUSE_MS);
  timer = setTimeout(open, pause);
  void poll();
}

async function poll(): Promise<void> {
  if (connection.peek() === "live") return;
  try {
    const { parts } = await ask<any>("/readyz");
    if (source?.readyState !== EventSource.CLOSED) return;
    connection.value = "polling";
    arrived(parts.starknet.blockNumber, parts.starknet.blockHash);
  } catch {
    connection.value = "lost";
  }
  setTimeout(() => {
    if (connection.peek() !== "live" && source?.readyState === EventSource.CLOSED) void poll();
  }, POLL_MS);
}

/** Begins to listen, whenever the page can be seen. */
export function listen(): void {
  effect(() => (isVisible.value ? open() : close()));
  setInterval(() => (now.value = Date.now()), 1000);
}

let reopening: ReturnType<typeof setTimeout> | undefined;

function wish(next: Partial<Wishes>): void {
  Object.assign(wishes, next);
  // Pages that leave and come wish within one moment.
  clearTimeout(reopening);
  reopening = setTimeout(() => isVisible.peek() && open(), 30);
}

const MOST_TOKENS = 50;

/** Has prices of tokens told while a component is shown. */
export function usePrices(addresses: string[]): void {
  const tokens = addresses.slice(0, MOST_TOKENS);
  useEffect(() => {
    if (!tokens.length) return;
    wish({ tokens });
    return () => wish({ tokens: [] });
  }, [tokens.join()]);
}

/** Has the open candle of a series told while a component is shown. */
export function useCandles(series: string | null, listener: CandleListener): void {
  useEffect(() => {
    if (!series) return;
    candleListener = listener;
    wish({ series });
    return () => {
      candleListener = null;
      wish({ series: null });
    };
  }, [series]);
}

export function useOrdersOf(trader: string | null): void {
  useEffect(() => {
    if (!trader) return;
    wish({ trader });
    return () => wish({ trader: null });
  }, [trader]);
}
