// What the service says of its parts.
import { ask } from "./api";

export interface Node {
  name: string;
  blockNumber: number | null;
  silentSeconds: number | null;
  problem: string | null;
}

interface Part {
  ready: boolean;
  problem: string | null;
}

export interface Readiness {
  ready: boolean;
  parts: {
    starknet: Part & {
      role: string;
      blockNumber: number | null;
      blockHash: string | null;
      ageSeconds: number | null;
      lagBlocks: number | null;
      nodes?: Node[];
      pools?: { total: number; tradable: number; summary: string };
    };
    solana?: Part & { epoch: number | null; slot: number | null; silentSeconds: number | null };
    ledger?: Part;
    settlement?: Part & { parked: number };
    redis?: Part;
  };
}

/** Readiness is told with 503 while something is not ready: that is an answer, too. */
export async function readiness(signal: AbortSignal): Promise<Readiness> {
  const answer = await fetch("/readyz", { signal }).catch(() => null);
  const body = (await answer?.json().catch(() => null)) as Readiness | null;
  return body?.parts ? body : ask<Readiness>("/readyz", { signal });
}
