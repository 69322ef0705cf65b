import { parseApiKey } from '@baton/protocol';
import { type BatonEndpoint, findBaton } from './baton-endpoint.ts';
import { devFilePath, readDevFile } from './dev-file.ts';
import { ConfigurationError, readSecretFiles } from './environment.ts';
import { type BatonFlags, givenUrl } from './tenant-endpoint.ts';

/** Where requests over REST go, and as whom. */
export interface RestEndpoint {
  /** Baton's address, without a path. */
  readonly url: string;
  /** What the paths of requests follow: `/v1`, or `/v1/tenants/<id>`. */
  readonly base: string;
  /** An API key or the operator's token. */
  readonly credential: string;
  /** The setting that the credential is of, for errors. */
  readonly setting: 'BATON_API_KEY' | 'BATON_OPERATOR_TOKEN';
}

export interface RestFlags extends BatonFlags {
  /** Of an operator: the tenant whose data is meant. */
  readonly tenant?: string;
  /** Whether to print JSON. */
  readonly json?: boolean;
}

/** A tenant by its key; with `--tenant` as its operator. Errors: ConfigurationError for a setting that its user must correct. */
export async function tenantRest(
  flags: RestFlags,
  environment: NodeJS.ProcessEnv,
  purpose: string,
): Promise<RestEndpoint> {
  if (flags.tenant !== undefined)
    return operatorRest(flags, environment, `/tenants/${encodeURIComponent(flags.tenant)}`);
  const variables = readSecretFiles(environment, ['BATON_API_KEY']);
  const given = { url: givenUrl(flags, variables), key: flags.key ?? variables['BATON_API_KEY'] };
  return restOf(await findBaton(given, variables, purpose));
}

/** The tenant of a key. */
export function restOf({ url, key }: BatonEndpoint): RestEndpoint {
  return { ...addressOf(url), credential: key, setting: 'BATON_API_KEY' };
}

/** The routes of the tenant that the caller's own key names, or `--tenant`: those that name their tenant in the path. */
export async function namedTenantRest(
  flags: RestFlags,
  environment: NodeJS.ProcessEnv,
  purpose: string,
): Promise<RestEndpoint> {
  const endpoint = await tenantRest(flags, environment, purpose);
  if (endpoint.setting === 'BATON_OPERATOR_TOKEN') return endpoint;
  const key = parseApiKey(endpoint.credential);
  if (key === undefined)
    throw new ConfigurationError(
      'BATON_API_KEY=(hidden): is no key of Baton (bt_<tenant>_...), or is mistyped',
    );
  return { ...endpoint, base: `${endpoint.base}/tenants/${key.tenant}` };
}

/** What is the operator's. Errors: ConfigurationError. */
export async function operatorRest(
  flags: BatonFlags,
  environment: NodeJS.ProcessEnv,
  path = '',
): Promise<RestEndpoint> {
  const variables = readSecretFiles(environment, ['BATON_OPERATOR_TOKEN']);
  const url = givenUrl(flags, variables);
  const dataDir = variables['BATON_DATA_DIR'] ?? '.baton';
  const dev = url === undefined ? await readDevFile(dataDir) : undefined;
  const found = url ?? dev?.url;
  if (found === undefined)
    throw new ConfigurationError(
      `BATON_URL is not set, and there is no ${devFilePath(dataDir)}: give --url, or start Baton here with npm start`,
    );
  // As with keys: a token that is given goes to no address that a file names.
  const credential = dev?.operatorToken ?? variables['BATON_OPERATOR_TOKEN'];
  if (credential === undefined)
    throw new ConfigurationError('BATON_OPERATOR_TOKEN is not set: tenants are managed with it');
  const { url: address, base } = addressOf(found);
  return { url: address, base: base + path, credential, setting: 'BATON_OPERATOR_TOKEN' };
}

function addressOf(url: string): Pick<RestEndpoint, 'url' | 'base'> {
  const address = url.replace(/\/(mcp\/?)?$/, '');
  return { url: address, base: `${address}/v1` };
}
