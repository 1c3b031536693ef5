// Small parts that every page is made of.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Failure } from "../lib/api";
import { short } from "../lib/format";
import { copy } from "../lib/notices";

export function Page({ title, lead, actions, children }: { title: ComponentChildren; lead?: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren }) {
  return (
    <>
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Panel({ title, aside, children, class: name, flush }: { title?: ComponentChildren; aside?: ComponentChildren; children: ComponentChildren; class?: string; flush?: boolean }) {
  return (
    <section class={`panel ${flush ? "flush" : ""} ${name ?? ""}`}>
      {(title || aside) && (
        <div class="panel-head">
          <h2>{title}</h2>
          {aside && <div class="panel-aside">{aside}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** Why something is not there, and what can be done. */
export function Trouble({ failure, again }: { failure: Failure; again?: () => void }) {
  return (
    <div class="state" role="alert">
      <strong>{failure.status === 429 ? "Too many requests" : failure.status === 404 ? "Not found" : "Something went wrong"}</strong>
      <p>{failure.message}</p>
      {again && (
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

/** Rows of the height of the real ones, so that nothing moves when those come. */
export function SkeletonRows({ rows, columns }: { rows: number; columns: number }) {
  return (
    <>
      {Array.from({ length: rows }, (_, row) => (
        <tr key={row} class="skeleton-row" aria-hidden="true">
          {Array.from({ length: columns }, (_, column) => (
            <td key={column}>
              <span class="skeleton" />
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}

export const Skeleton = ({ class: name }: { class?: string }) => <span class={`skeleton ${name ?? ""}`} aria-hidden="true" />;

/** An address, short, with the whole one to copy. */
export function Address({ value, head = 6, tail = 4 }: { value: string; head?: number; tail?: number }) {
  return (
    <button type="button" class="address" title={`${value} – copy`} onClick={() => void copy(value)}>
      <span class="mono">{short(value, head, tail)}</span>
      <span class="visually-hidden"> copy in full</span>
    </button>
  );
}

export function Figure({ label, children, hint, tone }: { label: string; children: ComponentChildren; hint?: ComponentChildren; tone?: string }) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd class={tone}>{children}</dd>
      {hint && <dd class="hint">{hint}</dd>}
    </div>
  );
}

export const Figures = ({ children }: { children: ComponentChildren }) => <dl class="figures">{children}</dl>;

/** One of a few: a row of buttons of which one is pressed. */
export function Choice<T extends string>({ label, value, options, onChange }: { label: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void }) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button type="button" key={option} aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** A button that is busy while what it began goes on. */
export function Action({ run, children, class: name, disabled, ...rest }: { run: () => Promise<unknown>; children: ComponentChildren } & Omit<JSX.IntrinsicElements["button"], "onClick" | "type">) {
  const [busy, setBusy] = useState(false);
  const click = async () => {
    setBusy(true);
    try {
      await run();
    } finally {
      setBusy(false);
    }
  };
  return (
    <button {...rest} type="button" class={`button ${name ?? ""}`} disabled={busy || disabled} aria-busy={busy} onClick={() => void click()}>
      {children}
    </button>
  );
}

export const Tag = ({ children, kind }: { children: ComponentChildren; kind?: string }) => <span class={`tag ${kind ?? ""}`}>{children}</span>;

export function Pager({ page, pages }: { page: { value: number }; pages: number }) {
  if (pages <= 1) return null;
  return (
    <div class="pager">
      <button type="button" class="button small" disabled={page.value === 0} onClick={() => page.value--}>
        Previous
      </button>
      <span class="soft">
        {page.value + 1} of {pages}
      </span>
      <button type="button" class="button small" disabled={page.value + 1 >= pages} onClick={() => page.value++}>
        Next
      </button>
    </div>
  );
}
