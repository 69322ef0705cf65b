import { z } from 'zod';
import { type BatonEndpoint, findBaton, httpUrlSchema, redactedUrl } from './baton-endpoint.ts';
import { ConfigurationError, readSecretFiles } from './environment.ts';

/** Where Baton is, and with which key, on the command line. */
export interface BatonFlags {
  readonly url?: string;
  readonly key?: string;
}

/** The tenant whose `what` a command is for. Throws ConfigurationError for a setting that its user must correct. */
export async function endpointFor(
  flags: BatonFlags,
  environment: NodeJS.ProcessEnv,
  what: string,
): Promise<BatonEndpoint> {
  const variables = readSecretFiles(environment, ['BATON_API_KEY']);
  return findBaton(
    { url: givenUrl(flags, variables), key: flags.key ?? variables['BATON_API_KEY'] },
    variables,
    `an API key of the tenant, with scope admin to change ${what} and mcp to use them`,
  );
}

/** The address that is given, if one is. Throws ConfigurationError for what is no address. */
export function givenUrl({ url }: BatonFlags, variables: NodeJS.ProcessEnv): string | undefined {
  const given = url ?? variables['BATON_URL'];
  const parsed = z.object({ url: httpUrlSchema.optional() }).safeParse({ url: given });
  if (parsed.success) return given;
  const name = url === undefined ? 'BATON_URL' : '--url';
  throw new ConfigurationError(`${name}=${redactedUrl(given ?? '')}: ${parsed.error.issues[0]?.message}`);
}
