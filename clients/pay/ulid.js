import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

// A key that names one request.
export function ulid() {
  const time = Buffer.alloc(6);
  time.writeUIntBE(Date.now(), 0, 6);
  let number = BigInt(`0x${Buffer.concat([time, randomBytes(10)]).toString("hex")}`);
  let text = "";
  for (let digit = 0; digit < 26; digit += 1, number /= 32n) text = ALPHABET[Number(number % 32n)] + text;
  return text;
}
