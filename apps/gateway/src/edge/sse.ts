/** Server-Sent Events (WHATWG HTML, 9.2) as MCP's streams use them. Proxies must neither cache nor hold back a stream. */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** An event with a JSON-RPC message, which as JSON has no line breaks. */
export function sseMessage(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}

/** Clients ignore a comment; to proxies it shows that the stream lives. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}
