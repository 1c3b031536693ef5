// Numbers, times and addresses as people read them. What is not known is a dash.

const NONE = "–";
const compact = new Intl.NumberFormat("en", { notation: "compact", minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const known = (value: number | null | undefined): value is number => typeof value === "number" && Number.isFinite(value);

export const count = (value: number | null | undefined): string => (known(value) ? whole.format(value) : NONE);

/** Four digits of what is hardly less are 1.000. */
const ROUNDED_TO_ONE = 0.99995;

/** A price: two digits after the point for whole dollars, more that count below. */
export function price(value: number | null | undefined): string {
  if (!known(value)) return NONE;
  const size = Math.abs(value);
  if (size === 0) return "$0";
  if (size >= ROUNDED_TO_ONE) return `$${value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: size >= 1000 ? 2 : 4 })}`;
  if (size >= 1e-4) return `$${value.toPrecision(4)}`;
  // 0.0₅123: zeros after the point are counted.
  const zeros = Math.floor(-Math.log10(size));
  const digits = Math.round(size * 10 ** (zeros + 4)).toString().replace(/0+$/, "");
  return `$0.0${subscript(zeros)}${digits}`;
}

const subscript = (value: number): string => [...String(value)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]).join("");

/** Dollars of volumes and depths: two digits after the point everywhere, so that they align. */
export function usd(value: number | null | undefined): string {
  if (!known(value)) return NONE;
  if (value === 0) return "$0";
  return `$${Math.abs(value) < 1000 ? value.toFixed(2) : compact.format(value)}`;
}

/** A change in per cent, with its sign. */
export function percent(value: number | null | undefined, digits = 2): string {
  if (!known(value)) return NONE;
  const text = Math.abs(value).toFixed(digits);
  return `${Number(text) === 0 ? "" : value > 0 ? "+" : "−"}${text}%`;
}

export const share = (value: number | null | undefined, digits = 1): string => (known(value) ? `${(value * 100).toFixed(digits)}%` : NONE);

/** The colour of a change; one that is shown as nothing has none. */
export const tone = (value: number | null | undefined): string => (!known(value) || Math.abs(value) < 0.005 ? "" : value > 0 ? "up" : "down");

export const short = (address: string, head = 6, tail = 4): string =>
  address.length <= head + tail + 1 ? address : `${address.slice(0, head)}…${address.slice(-tail)}`;

export function ago(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h ${Math.floor((s % 3600) / 60)}m`;
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit" });

export const time = (date: string | number | Date): string => clock.format(new Date(date));
export const date = (date: string | number | Date | null | undefined): string => (date ? day.format(new Date(date)) : NONE);

/** A stake: so much that its last digits do not matter. */
export const stake = (lamports: number | null | undefined): string => (known(lamports) ? `${compact.format(lamports / 1e9)} SOL` : NONE);

export function sol(lamports: number | string | bigint): string {
  const value = Number(lamports) / 1e9;
  return `${value.toLocaleString("en", { maximumFractionDigits: 4 })} SOL`;
}

const UNITS: Record<string, string> = { PY: "year", PM: "month", PW: "week", PD: "day", TH: "hour", TM: "minute", TS: "second" };

/** An ISO 8601 duration in words. */
export function period(text: string): string {
  const [days = "", times = ""] = text.replace(/^P/, "").split("T");
  const words = (part: string, kind: "P" | "T") =>
    [...part.matchAll(/(\d+)([A-Z])/g)].map(([, number, unit]) => `${number === "1" ? "" : `${number} `}${UNITS[kind + unit] ?? unit}${number === "1" ? "" : "s"}`);
  return [...words(days, "P"), ...words(times, "T")].join(" ") || text;
}
