// The newest blocks, one mark each; those that took the place of others stand out.
import { ago, count } from "../lib/format";
import { blocks, connection, head, now } from "../lib/live";

const WORDS = {
  connecting: "Connecting",
  live: "Live",
  polling: "Polling",
  lost: "Reconnecting",
};

export function Ticker() {
  const newest = head.value;
  const age = newest ? Math.max(0, (now.value - newest.seen) / 1000) : 0;
  const state = connection.value;
  return (
    <a class={`ticker ${state}`} href="/status" title={WORDS[state]}>
      <span class="marks" aria-hidden="true">
        {blocks.value.slice(-14).map((block) => (
          <i key={block.hash} class={block.replaced ? "replaced" : ""} />
        ))}
      </span>
      <span class="pulse" aria-hidden="true" />
      <span class="ticker-block">
        <span class="visually-hidden">{WORDS[state]}, block </span>
        {newest ? `#${count(newest.number)}` : "–"}
      </span>
      <span class="ticker-age" aria-hidden="true">
        {newest ? ago(age) : ""}
      </span>
    </a>
  );
}
