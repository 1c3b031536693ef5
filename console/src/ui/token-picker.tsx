// Choosing a token: a button that opens a list to search in.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { tokens, type Token } from "../lib/tokens";
import { Icon, icons } from "./icons";
import { Logo } from "./logo";
import { Empty } from "./parts";
import "../style/picker.css";

const MOST = 60;

export function TokenPicker({ label, value, none = "Choose", onPick }: { label: string; value: string | null; none?: string; onPick: (address: string) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const search = useSignal("");
  const chosen = value ? tokens.value.get(value) : undefined;
  const wanted = search.value.trim().toLowerCase();
  const fits = (token: Token) => !wanted || [token.symbol, token.name, token.address].some((text) => text.toLowerCase().includes(wanted));
  const found = [...tokens.value.values()].filter(fits).slice(0, MOST);
  const pick = (address: string) => {
    dialog.current?.close();
    onPick(address);
  };
  return (
    <>
      <button
        type="button"
        class="picked"
        aria-haspopup="dialog"
        onClick={() => {
          search.value = "";
          dialog.current?.showModal();
        }}
      >
        <span class="visually-hidden">{label}: </span>
        {value && <Logo address={value} size={22} />}
        <strong>{chosen?.symbol ?? (value ? "…" : none)}</strong>
        <svg class="icon" viewBox="0 0 20 20" width="14" height="14" aria-hidden="true">
          <path d="M5 8l5 5 5-5" />
        </svg>
      </button>
      <dialog ref={dialog} class="picker" aria-label={label} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
        <div class="picker-body">
          <label class="search">
            <Icon path={icons.search} />
            <span class="visually-hidden">Search tokens</span>
            <input
              type="search"
              placeholder="Symbol, name or address"
              value={search.value}
              onInput={(event) => (search.value = event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !found[0]) return;
                // The key would press the button that has the focus next, too.
                event.preventDefault();
                pick(found[0].address);
              }}
            />
          </label>
          <ul>
            {found.map((token) => (
              <li key={token.address}>
                <button type="button" aria-pressed={token.address === value} onClick={() => pick(token.address)}>
                  <Logo address={token.address} />
                  <span>
                    <strong>{token.symbol}</strong>
                    <small>{token.name}</small>
                  </span>
                  {!token.tags.includes("Verified") && <small class="picker-tag">{token.tags[0] ?? "Unknown"}</small>}
                </button>
              </li>
            ))}
          </ul>
          {!found.length && <Empty title="No tokens match">Try fewer letters.</Empty>}
        </div>
      </dialog>
    </>
  );
}
