/** Server-Sent Events (WHATWG HTML, 9.2) as MCP's streams use them. Proxies must neither cache nor hold back a stream. */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** An event with JSON for data, which has no line breaks. */
export function sseEvent(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** An event by whose id the stream can be resumed; the id alone where there is no data. `retry`: in milliseconds. */
export function sseEventWithId(event: string, json: string, id: string): string {
  return json === '' ? `id: ${id}\nretry: ${RETRY_MS}\ndata: \n\n` : `id: ${id}\n${sseEvent(event, json)}`;
}

/** How soon a client opens a stream again that has ended before its response came. */
const RETRY_MS = 500;

/** An event with a JSON-RPC message. */
export function sseMessage(json: string): string {
  return sseEvent('message', json);
}

/** Clients ignore a comment; to proxies it shows that the stream lives. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}
