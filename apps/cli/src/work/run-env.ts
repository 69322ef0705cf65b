import { type BatonFlags, endpointFor } from '../settings/tenant-endpoint.ts';

/**
 * `baton env`: the address and the key that the other commands use, as lines for a shell's `eval`. Returns the exit code. Errors: ConfigurationError.
 */
export async function runEnv(flags: BatonFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const { url, key } = await endpointFor(flags, environment, 'what it calls');
  for (const [name, value] of Object.entries({ BATON_URL: url, BATON_API_KEY: key }))
    console.log(`export ${name}='${value.replaceAll("'", `'\\''`)}'`);
  return 0;
}
