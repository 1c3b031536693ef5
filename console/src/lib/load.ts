// What a page shows of an answer: nothing yet, the answer, or why there is none.
// An answer that is loaded again stays in view until the next one is there.
import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Failure } from "./api";

export interface Loaded<T> {
  data: T | undefined;
  failure: Failure | undefined;
  again: () => void;
}

const RETRY_MS = 4_000;
const WAIT_MS = 250;

/**
 * Loads whenever `key` or one of `when` changes; a key of null loads nothing.
 * What fails because the service is away is tried again.
 */
export function useLoaded<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  ...when: (ReadonlySignal<unknown> | undefined)[]
): Loaded<T> {
  const state = useSignal<{ key: string | null; data?: T; failure?: Failure }>({ key });
  const turn = useSignal(0);
  const moments = when.map((signal) => signal?.value);
  useEffect(() => {
    if (key === null) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    load(ending.signal).then(
      (data) => {
        if (!ending.signal.aborted) state.value = { key, data };
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(-1, String(error));
        const kept = state.peek().key === key ? state.peek().data : undefined;
        state.value = { key, data: kept, failure };
        if (failure.status === 0 || failure.status >= 500 || failure.status === 429) {
          const pause = (failure.retryAfter ?? 0) * 1000;
          timer = setTimeout(() => turn.value++, Math.max(pause, RETRY_MS));
        }
      },
    );
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [key, turn.value, ...moments]);
  const shown = state.value.key === key ? state.value : undefined;
  return { data: shown?.data, failure: shown?.failure, again: () => turn.value++ };
}

/** A value that follows once it has been still for a moment. */
export function useSettled<T>(value: T): T {
  const settled = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = value), WAIT_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}
