// Which page is open, by the address. Links of the page's own lead there without
// loading anything; all others are the browser's.
import { signal } from "@preact/signals";

const here = () => ({ path: location.pathname, search: location.search });

export const place = signal(here());

/** Counts openings of pages, so that the frame can move the focus. */
export const opened = signal(0);

export function go(to: string, replace = false): void {
  const url = new URL(to, location.href);
  history[replace ? "replaceState" : "pushState"](null, "", url);
  const changed = url.pathname !== place.peek().path;
  place.value = here();
  if (changed) {
    scrollTo(0, 0);
    opened.value++;
  }
}

export const parameter = (name: string): string | null => new URLSearchParams(place.value.search).get(name);

/** Writes values of the query into the address without a new entry of the history. */
export function note(values: Record<string, string | null>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (url.href !== location.href) go(url.href, true);
}

export function follow(isOwn: (path: string) => boolean): void {
  addEventListener("popstate", () => {
    place.value = here();
    opened.value++;
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest?.("a");
    if (!link?.href || link.target || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || !isOwn(url.pathname)) return;
    event.preventDefault();
    go(url.href);
  });
}
