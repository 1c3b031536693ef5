// Says short things in passing: what was copied, what was done, what went wrong.
import { signal } from "@preact/signals";

export interface Notice {
  id: number;
  text: string;
  kind: "done" | "wrong" | "news";
}

export const notices = signal<Notice[]>([]);
let next = 0;

export function say(text: string, kind: Notice["kind"] = "done", lasts = 5_000): void {
  const id = next++;
  // Peeked at: whoever says something in an effect must not be woken by it.
  notices.value = [...notices.peek().slice(-3), { id, text, kind }];
  setTimeout(() => (notices.value = notices.peek().filter((notice) => notice.id !== id)), lasts);
}

/** Does something and says how it went; what could not be done is said in its own words. */
export async function attempt(deed: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await deed();
    if (done) say(done);
  } catch (error) {
    say((error as Error).message, "wrong", 9_000);
  }
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("The browser did not allow copying", "wrong");
  }
}
