import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type AnyJson, connectMcpEndpoint } from '../harness/mcp-client.ts';
import { readPage } from '../docs/read-markdown-pages.ts';

/** A server entry of a client's configuration file, with its variables replaced. */
export interface ServerEntry {
  readonly url: string;
  readonly headers: Record<string, string>;
}

export interface ClientConfiguration {
  readonly client: string;
  /** The file's path in a project. */
  readonly path: string;
  /** The entry for Baton when the user's key is `key`. */
  serverEntry(key: string): ServerEntry;
}

/** Where the walkthrough keeps the Inspector's file: beside the other secrets of `baton dev`. */
export const INSPECTOR_CONFIG = '.baton/inspector.json';

/** The configuration files in the walkthrough, each after a line that names the client and the path. */
export function readClientConfigurations(): ClientConfiguration[] {
  const found = readPage('docs/walkthrough.md').matchAll(
    /^\*\*([^*]+)\*\*, `([^`]*mcp\.json)`.*\n\n```json\n([\s\S]*?)^```/gm,
  );
  return [...found].map(([, client = '', path = '', text = '']) => ({
    client,
    path,
    serverEntry: (key) => parseServerEntry(text, key),
  }));
}

/** Variables in configuration files of Claude Code, Cursor and VS Code. */
const VARIABLES = /\$\{(BATON_API_KEY|env:BATON_API_KEY|input:([\w-]+))\}/g;

function parseServerEntry(text: string, key: string): ServerEntry {
  const { inputs = [] } = JSON.parse(text) as AnyJson;
  const filled = text.replace(VARIABLES, (_, __, input?: string) => {
    if (
      input !== undefined &&
      !inputs.some(({ id, type }: AnyJson) => id === input && type === 'promptString')
    )
      throw new Error(`nobody is asked for '${input}'`);
    return key;
  });
  if (filled.includes('${')) throw new Error(`a variable is left: ${filled}`);
  const { mcpServers, servers } = JSON.parse(filled) as AnyJson;
  return (mcpServers ?? servers).baton;
}

/** The official client by a server's address and headers, but at the port where the tests' Baton listens. */
export async function connectByConfiguration({ url, headers }: ServerEntry, mcpUrl: string): Promise<Client> {
  const here = new URL(url);
  if (here.origin !== 'http://127.0.0.1:8080') throw new Error(`npm start does not listen at ${here.origin}`);
  here.port = new URL(mcpUrl).port;
  return connectMcpEndpoint(here, headers);
}
