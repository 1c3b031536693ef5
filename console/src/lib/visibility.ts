// Whether anybody can see the page. A hidden one holds no stream and asks for nothing.
import { signal, useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export const isVisible = signal(!document.hidden);

document.addEventListener("visibilitychange", () => (isVisible.value = !document.hidden));

/** Counts up at an interval while the page can be seen. */
export function useEvery(milliseconds: number): ReadonlySignal<number> {
  const turn = useSignal(0);
  useEffect(() => {
    if (!isVisible.value) return;
    const timer = setInterval(() => turn.value++, milliseconds);
    return () => clearInterval(timer);
  }, [isVisible.value]);
  return turn;
}
