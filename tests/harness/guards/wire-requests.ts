import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Paths of Baton's own interfaces. */
const INTERFACE = /^\/(mcp|v1)\b/;
let requests = 0;

function count(path: string | undefined): void {
  if (INTERFACE.test(path ?? '')) requests++;
}

// What a server in this process took over a socket, and what a client in it sent to a server elsewhere.
subscribe('http.server.request.start', (message) => {
  count((message as { request: IncomingMessage }).request.url);
});
subscribe('undici:request:create', (message) => {
  count((message as { request: { path: string } }).request.path);
});

/** How many requests to /mcp and /v1 have gone over a socket from or to this process. */
export function countWireRequests(): number {
  return requests;
}
