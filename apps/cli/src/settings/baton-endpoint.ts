import { z } from 'zod';
import { devFilePath, readDevFile } from './dev-file.ts';
import { ConfigurationError } from './environment.ts';

/** An address, without user and password: Baton and LLM endpoints take keys in the header in which these would stand. */
export const httpUrlSchema = z
  .url({
    protocol: /^https?$/,
    error: 'must be an address that begins with http:// or https://',
    abort: true,
  })
  .refine((url) => !holdsUser(url), {
    error:
      'must hold no user and no password. Baton takes its key from BATON_API_KEY, an LLM endpoint from BATON_LLM_API_KEY; ' +
      'a proxy that asks for a password in the same header cannot stand in front of either',
  });

/** What is shown of an address that is refused: nothing where it may hold a password. */
export function redactedUrl(text: string): string {
  return text.includes('@') ? '(hidden)' : text;
}

function holdsUser(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Where a command finds Baton: the address of its `/mcp`, and an API key. */
export interface BatonEndpoint {
  readonly url: string;
  readonly key: string;
}

/**
 * What is given, else what `baton dev` wrote in the same folder: its address and its key, never the one without the other.
 * `purpose` says which key is needed. Throws ConfigurationError naming what is missing.
 */
export async function findBaton(
  given: { readonly url?: string | undefined; readonly key?: string | undefined },
  { BATON_DATA_DIR }: NodeJS.ProcessEnv,
  purpose: string,
): Promise<BatonEndpoint> {
  const { url, key } = given;
  const dataDir = BATON_DATA_DIR ?? '.baton';
  const dev = url === undefined ? await readDevFile(dataDir) : undefined;
  if (dev !== undefined && key !== undefined)
    throw new ConfigurationError(
      `BATON_URL is not set, and a key that is given goes to no address that ${devFilePath(dataDir)} names: give --url, or ` +
        "leave out the key to use that of this folder's Baton",
    );
  const found = { url: url ?? dev?.mcpUrl, key: key ?? dev?.apiKey };
  if (found.url === undefined)
    throw new ConfigurationError(
      `BATON_URL is not set, and there is no ${devFilePath(dataDir)}: give --url, or start Baton here with npm start`,
    );
  if (found.key === undefined) throw new ConfigurationError(`BATON_API_KEY is not set: ${purpose}`);
  const address = new URL(found.url);
  if (address.pathname === '/') address.pathname = '/mcp';
  return { url: address.href, key: found.key };
}
