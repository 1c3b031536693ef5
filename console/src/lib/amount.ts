// Amounts of tokens: whole numbers of the smallest unit, exact in both directions.

/** A decimal text as units, or null if it is none or has too many digits. */
export function toUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d*)(?:\.(\d*))?$/.exec(text.trim());
  if (!match || (!match[1] && !match[2])) return null;
  const after = match[2] ?? "";
  if (after.length > decimals) return null;
  return BigInt((match[1] || "0") + after.padEnd(decimals, "0"));
}

/** Units as a decimal text, exactly. */
export function fromUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0");
  const before = digits.slice(0, digits.length - decimals);
  const after = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return after ? `${before}.${after}` : before;
}

/** Units for the eye: about so many digits that count. */
export function shown(units: bigint, decimals: number, digits = 6): string {
  const text = fromUnits(units, decimals);
  const [before = "0", after = ""] = text.split(".");
  const grouped = before.replace(/\B(?=(\d{3})+$)/g, ",");
  const zeros = /^0*/.exec(after)![0].length;
  const room = before === "0" ? zeros + digits : Math.max(digits - before.length, 2);
  const cut = after.slice(0, room).replace(/0+$/, "");
  return cut ? `${grouped}.${cut}` : grouped;
}

export const hex = (units: bigint): string => `0x${units.toString(16)}`;
