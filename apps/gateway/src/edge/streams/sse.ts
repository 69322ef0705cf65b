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

/** An event with a JSON-RPC message. */
export function sseMessage(json: string): string {
  return sseEvent('message', json);
}

/** Clients ignore a comment; to proxies it shows that the stream lives. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}
