// Typed data (SNIP-12) of both revisions, drawn from a seed: every basic and
// preset type, structures, lists, enums and trees. With the hashes that
// starknet.js gives them they are the vectors of `primitives::typed_data`:
//
//   node typed-data-documents.js > ../crates/primitives/src/typed_data/vectors.jsonl
import { pathToFileURL } from "node:url";
import { typedData } from "starknet";

const DOCUMENTS = 200;
const SEED = 20;
const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
const WORDS = "Order Fee amount To Calls Execute_After owner Note price Ärger limit id x".split(" ");

// Numbers below a bound, the same ones for every run (xorshift).
function randomness(seed) {
  let state = BigInt(seed) * 0x9e3779b97f4a7c15n;
  const next = () => {
    for (const [left, shift] of [[true, 13n], [false, 7n], [true, 17n]]) {
      state = BigInt.asUintN(64, state ^ (left ? state << shift : state >> shift));
    }
    return state >> 11n;
  };
  const below = (bound) => Number(next() % BigInt(bound));
  const wide = (bound) => [1, 2, 3, 4, 5].reduce((sum) => (sum << 53n) | next(), 0n) % bound;
  return { below, wide, one: (list) => list[below(list.length)] };
}

class Author {
  constructor(seed, revision) {
    Object.assign(this, randomness(seed));
    this.revision = revision;
    this.types = {};
  }

  // Structures use only those that come later, so that none contains itself.
  document() {
    const active = this.revision === 1;
    const text = active ? "shortstring" : "felt";
    const domain = ["name", "version", "chainId", ...(active ? ["revision"] : [])];
    const domainType = active ? "StarknetDomain" : "StarkNetDomain";
    this.types[domainType] = domain.map((name) => ({ name, type: text }));
    const structures = 1 + this.below(3);
    for (let place = structures - 1; place >= 0; place -= 1) this.structure(place, structures);
    return {
      types: this.types,
      primaryType: "S0",
      domain: {
        name: this.one(["Stoa", "Account.execute_from_outside", "0x53", "12"]),
        version: this.one(["1", "2", "0.1.0"]),
        chainId: this.one(["SN_STOA", "SN_MAIN", "0x534e5f53544f41"]),
        ...(active ? { revision: "1" } : {}),
      },
      message: this.value("S0"),
    };
  }

  structure(place, structures) {
    const later = [];
    for (let next = place + 1; next < structures; next += 1) later.push(`S${next}`);
    const members = [];
    for (let index = this.below(5) + (place === 0 ? 1 : 0); index > 0; index -= 1) {
      const name = `${this.one(WORDS)}${this.below(3) ? "" : " "}${index}`;
      members.push({ name, ...this.kind(later, `V${place}_${index}`) });
    }
    this.types[`S${place}`] = members;
  }

  basic() {
    return this.revision === 1
      ? this.one(["felt", "shortstring", "string", "bool", "u128", "i128", "timestamp", "selector",
          "ContractAddress", "ClassHash", "u256", "TokenAmount", "NftId"])
      : this.one(["felt", "bool", "string", "selector", "u128", "anything"]);
  }

  part(later) {
    return later.length && this.below(2) ? this.one(later) : this.basic();
  }

  kind(later, enumeration) {
    switch (this.below(7)) {
      case 0:
        return { type: "merkletree", contains: this.part(later) };
      case 1:
        return { type: `${this.part(later)}*` };
      case 2:
        return { type: `${this.basic()}**` };
      case 3:
        return this.revision === 1 ? this.enumeration(later, enumeration) : { type: "felt*" };
      default:
        return { type: this.part(later) };
    }
  }

  enumeration(later, name) {
    const variant = () => {
      const parts = [];
      for (let part = this.below(3); part > 0; part -= 1) {
        parts.push(this.part(later) + (this.below(4) ? "" : "*"));
      }
      return `(${parts.join(",")})`;
    };
    this.types[name] = ["No Fee", "Fee", "Other"].map((one) => ({ name: one, type: variant() }));
    return { type: "enum", contains: name };
  }

  value(type, contains) {
    if (type.endsWith("*")) return this.list(type.slice(0, -1), 0);
    if (type === "merkletree") return this.list(contains, 1);
    if (type === "enum") {
      const { name, type: tuple } = this.one(this.types[contains]);
      const parts = tuple.slice(1, -1).split(",").filter(Boolean);
      return { [name]: parts.map((part) => this.value(part)) };
    }
    if (this.types[type]) {
      const members = this.types[type].map((member) => [member.name, this.value(member.type, member.contains)]);
      return Object.fromEntries(members);
    }
    return this.leaf(type);
  }

  list(type, least) {
    return Array.from({ length: least + this.below(3) }, () => this.value(type));
  }

  leaf(type) {
    const number = (bound) => this.written(this.below(3) ? this.wide(bound) : BigInt(this.below(1000)));
    const u256 = () => ({ low: number(2n ** 128n), high: number(2n ** 128n) });
    if (type === "bool") return this.below(2) === 1;
    if (type === "selector") return this.below(2) ? this.one(["transfer", "approve", ""]) : number16(this.wide(2n ** 250n));
    if (this.revision === 0) return this.below(3) ? number(PRIME) : this.text(31);
    switch (type) {
      case "felt":
      case "shortstring":
        return this.below(2) ? number(PRIME) : this.text(31);
      case "string":
        return this.text(100);
      case "u128":
      case "timestamp":
        return number(2n ** 128n);
      case "i128":
        return this.below(2) ? number(2n ** 127n) : `-${this.wide(2n ** 127n)}`;
      case "u256":
        return u256();
      case "TokenAmount":
        return { token_address: number(PRIME), amount: u256() };
      case "NftId":
        return { collection_address: number(PRIME), token_id: u256() };
      default:
        return number(PRIME);
    }
  }

  written(number) {
    const forms = [number16(number), number.toString(), `0x${number.toString(16).padStart(64, "0")}`];
    return number < 2n ** 53n && this.below(2) ? Number(number) : this.one(forms);
  }

  text(longest) {
    const letters = "abcxyzABC XYZ_-.,:;()*'!?";
    return Array.from({ length: this.one([0, 5, longest, this.below(longest)]) }, () => this.one([...letters])).join("");
  }
}

const number16 = (number) => `0x${number.toString(16)}`;

// Documents with the accounts that sign them.
export const documents = Array.from({ length: DOCUMENTS }, (_, index) => {
  const author = new Author(SEED * 1000 + index, index % 2);
  return { document: author.document(), account: number16(author.wide(PRIME)) };
});

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { document, account } of documents) {
    const hash = typedData.getMessageHash(document, account);
    console.log(JSON.stringify({ document, account, hash }));
  }
}
