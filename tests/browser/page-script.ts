import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What a page of the tests has: the official client, as a bundler builds it for browsers. */
const mcp = { Client, StreamableHTTPClientTransport };

declare global {
  var mcp: { Client: typeof Client; StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport };
}

globalThis.mcp = mcp;
