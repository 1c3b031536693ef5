// Requests to the service, and what went wrong with them in words.

export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Seconds after which asking again makes sense, where the service says so. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

interface Asking {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  bearer?: string | null;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

// Both of the service's forms of refusal, and JSON-RPC's.
function words(body: unknown): string | undefined {
  const it = body as { messages?: string[]; detail?: string; title?: string; error?: { message?: string } } | null;
  return it?.messages?.join("; ") ?? it?.detail ?? it?.title ?? it?.error?.message;
}

export async function ask<T>(path: string, asking: Asking = {}): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json", ...asking.headers };
  if (asking.body !== undefined) headers["content-type"] = "application/json";
  if (asking.bearer) headers.authorization = `Bearer ${asking.bearer}`;
  let answer: Response;
  try {
    answer = await fetch(path, {
      method: asking.method ?? (asking.body === undefined ? "GET" : "POST"),
      headers,
      body: asking.body === undefined ? undefined : JSON.stringify(asking.body),
      signal: asking.signal,
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new Failure(0, "The service does not answer. It may be restarting; this page tries again by itself.");
  }
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok) {
    const retry = Number(answer.headers.get("retry-after")) || undefined;
    throw new Failure(answer.status, words(body) ?? `The service answered ${answer.status}.`, retry);
  }
  return body as T;
}

export function query(path: string, values: Record<string, string | number | boolean | string[] | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}
