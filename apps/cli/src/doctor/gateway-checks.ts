import type { OwnKeyReply } from '@baton/gateway/reply-types';
import { BATON_VERSION, connectionFailureReason, isRecord, parseApiKey, parseJson } from '@baton/protocol';
import { EXIT_CODES, exitCodeFor } from '../process/exit-codes.ts';
import { explainShapeError } from '../rest/not-baton-error.ts';
import { readReplyText } from '../rest/reply-text.ts';
import { RestClient } from '../rest/rest-client.ts';
import { readSecretFiles } from '../settings/environment.ts';
import { operatorRest, type RestEndpoint, type RestFlags, tenantRest } from '../settings/rest-endpoint.ts';
import { givenUrl } from '../settings/tenant-endpoint.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** A gateway that takes longer counts as one that does not answer. */
const TIMEOUT_MS = 5_000;
/** Of what it says of itself. */
const MOST_BYTES = 65_536;
/** Deadlines are Redis's; a clock that is further off misleads whoever reads times. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/** Address, reachability, clock, version, readiness and credential, in this order: what comes after something that is wrong is left out. */
export async function checkGateway(flags: RestFlags, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  let endpoint: RestEndpoint;
  try {
    endpoint = await findEndpoint(flags, environment);
  } catch (error) {
    return [wrong('address', (error as Error).message, exitCodeFor(error))];
  }
  const found: Finding[] = [];
  const live = await get(`${endpoint.url}/healthz`);
  if ('failure' in live) {
    const text = `Nothing answers at ${endpoint.url}: ${live.failure}. Is a gateway running there? npm start runs one in this folder.`;
    return [wrong('gateway', text, EXIT_CODES.unavailable)];
  }
  if (live.status !== 200 || live.body['status'] !== 'ok')
    return [
      wrong(
        'gateway',
        `What answers at ${endpoint.url} is no Baton (GET /healthz: ${live.status}).`,
        EXIT_CODES.configuration,
      ),
    ];
  found.push(
    ok('gateway', `A Baton answers at ${endpoint.url}.`),
    checkClock(live),
    await checkVersion(endpoint),
  );
  found.push(...(await checkReadiness(endpoint)), await checkKey(endpoint, flags.tenant));
  return found;
}

/** An operator's, of no tenant, where BATON_OPERATOR_TOKEN stands beside an address, and neither a key nor a tenant is given. */
function findEndpoint(flags: RestFlags, environment: NodeJS.ProcessEnv): Promise<RestEndpoint> {
  const variables = readSecretFiles(environment, ['BATON_API_KEY', 'BATON_OPERATOR_TOKEN']);
  const namesTenant = flags.tenant !== undefined || (flags.key ?? variables['BATON_API_KEY']) !== undefined;
  const isOperator =
    variables['BATON_OPERATOR_TOKEN'] !== undefined && givenUrl(flags, variables) !== undefined;
  return isOperator && !namesTenant
    ? operatorRest(flags, environment)
    : tenantRest(flags, environment, 'a key of the tenant');
}

async function checkReadiness({ url }: RestEndpoint): Promise<Finding[]> {
  const ready = await get(`${url}/readyz`);
  const bad = (text: string) => wrong('readiness', text, EXIT_CODES.unavailable);
  if ('failure' in ready) return [bad(`GET /readyz: ${ready.failure}`)];
  const { status, paused, refuses } = ready.body;
  if (ready.status !== 200) return [bad(`It takes no work: ${String(status)}.`)];
  const found: Finding[] = [];
  if (typeof refuses === 'string')
    found.push(
      bad(
        `Redis answers it, and has only its reserve of memory left: ${refuses} are refused. Raise maxmemory, or delete projects.`,
      ),
    );
  if (Array.isArray(paused))
    found.push(
      note(
        'readiness',
        `Redis answers it; an operator has paused the queues ${paused.join(', ')}: nothing is resumed.`,
      ),
    );
  return found.length > 0 ? found : [ok('readiness', 'Redis answers it, and it takes work.')];
}

async function checkVersion({ url }: RestEndpoint): Promise<Finding> {
  const page = await get(`${url}/`);
  const { version = 'unknown' } = 'failure' in page ? {} : page.body;
  const here = `This command is ${BATON_VERSION} on Node ${process.versions.node}`;
  return version === BATON_VERSION
    ? ok('version', `${here}, and so is the gateway's release.`)
    : note('version', `${here}; the gateway is ${String(version)}.`);
}

function checkClock({ date }: { readonly date: number }): Finding {
  const ahead = date - Date.now();
  return Math.abs(ahead) <= MAX_CLOCK_DIFFERENCE_MS
    ? ok('clock', 'This machine and the gateway have the same time.')
    : note(
        'clock',
        `The gateway's clock is ${Math.round(ahead / 1_000)} s ahead of this machine's: set one of them.`,
      );
}

async function checkKey(endpoint: RestEndpoint, tenant: string | undefined): Promise<Finding> {
  if (endpoint.setting === 'BATON_API_KEY' && parseApiKey(endpoint.credential) === undefined)
    return wrong(
      'key',
      'BATON_API_KEY is no key of Baton (bt_<tenant>_...), or is mistyped: its checksum does not fit.',
      EXIT_CODES.configuration,
    );
  try {
    if (endpoint.setting === 'BATON_OPERATOR_TOKEN') {
      await new RestClient(endpoint).request('GET', tenant === undefined ? '/tenants' : '/projects');
      return ok(
        'key',
        tenant === undefined
          ? 'The operator token is good. --tenant <id> looks whether a tenant exists, BATON_API_KEY what a key may do.'
          : 'The operator token is good, and the tenant exists.',
      );
    }
    const {
      tenant: own,
      principal,
      scopes,
    } = await new RestClient(endpoint).request<OwnKeyReply>('GET', '/key');
    const missing = (['mcp', 'agent', 'admin'] as const).filter((scope) => !scopes.includes(scope));
    const text = `The key is ${principal}'s of tenant ${own}, with ${scopes.join(', ')}`;
    return ok(
      'key',
      missing.length === 0
        ? `${text}.`
        : `${text}; not with ${missing.map((scope) => `${scope} (${ALLOWS[scope]})`).join(', ')}.`,
    );
  } catch (thrown) {
    const error = explainShapeError(thrown);
    return wrong('key', (error as Error).message, exitCodeFor(error));
  }
}

const ALLOWS: Readonly<Record<string, string>> = {
  mcp: 'to call tools',
  agent: "to answer the tenant's requests, as baton agent does",
  admin: 'to manage its keys and definitions',
};

type Got =
  | { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly date: number }
  | { readonly failure: string };

async function get(url: string): Promise<Got> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    const date = Date.parse(response.headers.get('date') ?? '') || Date.now();
    return { status: response.status, body: objectIn(await readReplyText(response, MOST_BYTES)), date };
  } catch (thrown) {
    return { failure: connectionFailureReason(thrown) };
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseJson(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
