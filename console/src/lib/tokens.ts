// The tokens that there are, by address: loaded once, when a page needs symbols.
import { signal } from "@preact/signals";
import { shown } from "./amount";
import { ask, query } from "./api";
import { network } from "./settings";

export interface Token {
  address: string;
  symbol: string;
  name: string;
  decimals: number;
  logoUri: string | null;
  tags: string[];
}

export const tokens = signal<ReadonlyMap<string, Token>>(new Map());

const PAGE = 100;
const MOST_PAGES = 5;
let asked: Promise<void> | null = null;

async function all(): Promise<void> {
  const found = new Map<string, Token>();
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await ask<{ content: Token[]; totalPages: number }>(query(`/v1/${network}/tokens`, { page, size: PAGE }));
    for (const token of answer.content) found.set(token.address, token);
    tokens.value = new Map(found);
    if (page + 1 >= answer.totalPages) break;
  }
}

export function needTokens(): void {
  asked ??= all().catch(() => {
    asked = null;
    setTimeout(needTokens, 5_000);
  });
}

export const symbol = (address: string): string => tokens.value.get(address)?.symbol ?? `${address.slice(0, 6)}…`;

export const decimalsOf = (address: string): number => tokens.value.get(address)?.decimals ?? 18;

/** So much of a token, for the eye; where the amount is not told, the token alone. */
export const amount = (units: bigint | string | null, address: string, digits?: number): string =>
  units === null ? symbol(address) : `${shown(BigInt(units), decimalsOf(address), digits)} ${symbol(address)}`;
