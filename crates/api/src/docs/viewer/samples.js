// Samples of requests: what an operation takes, as it is sent by curl, JavaScript and
// Python. Pure functions of the document; the page and the tests use them.

const JSON_TYPE = "application/json";

/** A request to an operation, made of its examples. Optional parameters are left out. */
export function sampleRequest(document, path, method, origin) {
  const operation = document.paths[path][method];
  const parameters = operation.parameters ?? [];
  const required = (place) => parameters.filter((it) => it.in === place && it.required);
  let filled = path;
  for (const { name, example } of required("path")) {
    filled = filled.replace(`{${name}}`, encodeURIComponent(example ?? name));
  }
  const query = new URLSearchParams();
  for (const { name, example } of [...required("query"), ...chosen(parameters)]) {
    for (const value of [example ?? name].flat()) query.append(name, value);
  }
  const headers = {};
  for (const { name, example } of required("header")) headers[name] = String(example ?? name);
  if (needsBearer(operation, document)) headers.Authorization = "Bearer TOKEN";
  const body = operation.requestBody?.content?.[JSON_TYPE]?.example;
  if (body !== undefined) headers["Content-Type"] = JSON_TYPE;
  const asked = query.size ? `?${query}` : "";
  return { method: method.toUpperCase(), url: `${origin}${filled}${asked}`, headers, body };
}

// Where one of two is needed, the first is shown.
const chosen = (parameters) =>
  parameters.filter(({ name, required }) => name === "sellAmount" && !required);

function needsBearer(operation, document) {
  const ways = operation.security ?? document.security ?? [];
  return ways.length > 0 && ways.every((way) => "bearer" in way);
}

/** The same for requests of the page itself, whose body is a text. */
export function liveRequest({ method, url, headers = {}, body }) {
  if (typeof body !== "string") return { method, url, headers, body };
  try {
    return { method, url, headers, body: JSON.parse(body) };
  } catch {
    return { method, url, headers, body };
  }
}

const quotedForShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

export function curl({ method, url, headers, body }) {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quotedForShell(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    lines.push(`-H ${quotedForShell(`${name}: ${value}`)}`);
  }
  if (body !== undefined) lines.push(`-d ${quotedForShell(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

export function javascript({ method, url, headers, body }) {
  const options = [];
  if (method !== "GET") options.push(`method: ${JSON.stringify(method)}`);
  if (Object.keys(headers).length) options.push(`headers: ${indented(JSON.stringify(headers, null, 2))}`);
  if (body !== undefined) options.push(`body: JSON.stringify(${indented(JSON.stringify(body, null, 2))})`);
  const second = options.length ? `, {\n${options.map((it) => `  ${it},\n`).join("")}}` : "";
  return `const response = await fetch(${JSON.stringify(url)}${second});
if (!response.ok) throw new Error(await response.text());
console.log(await response.text());`;
}

export function python({ method, url, headers, body }) {
  const options = [JSON.stringify(url)];
  if (Object.keys(headers).length) options.push(`headers=${inPython(headers)}`);
  if (body !== undefined) options.push(`json=${inPython(body)}`);
  const call = `requests.${method.toLowerCase()}(\n${options.map((it) => `    ${it.replaceAll("\n", "\n    ")},\n`).join("")})`;
  return `import requests

response = ${call}
response.raise_for_status()
print(response.text)`;
}

const indented = (text) => text.replaceAll("\n", "\n  ");

/** A value as Python spells it. */
function inPython(value, depth = 1) {
  const pad = "    ".repeat(depth);
  const end = "    ".repeat(depth - 1);
  const lines = (items, open, close) =>
    items.length ? `${open}\n${items.map((it) => `${pad}${it},\n`).join("")}${end}${close}` : open + close;
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return lines(value.map((it) => inPython(it, depth + 1)), "[", "]");
  if (typeof value === "object") {
    const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${inPython(field, depth + 1)}`);
    return lines(fields, "{", "}");
  }
  return JSON.stringify(value);
}

/** What is offered, in order. */
export const LANGUAGES = [
  { id: "curl", title: "curl", syntax: "bash", write: curl },
  { id: "javascript", title: "JavaScript", syntax: "javascript", write: javascript },
  { id: "python", title: "Python", syntax: "python", write: python },
];
