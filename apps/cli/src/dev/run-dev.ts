import { findOrStartRedis, type LocalRedis } from '@baton/local-redis';
import { type KeyInput, parseApiKey } from '@baton/protocol';
import { runCommand } from '@baton/runner';
import type { Store } from '@baton/store';
import { OperatorStore } from '@baton/store/operator';
import { type DevFile, devFilePath, newSecret, readDevFile, writeDevFile } from '../settings/dev-file.ts';
import { ConfigurationError, type Settings } from '../settings/environment.ts';
import { openStore, type RunningRole } from '../roles/open-store.ts';
import { runGateway } from '../roles/run-gateway.ts';
import { runWorker } from '../roles/run-worker.ts';
import type { BatonEndpoint } from '../settings/baton-endpoint.ts';
import { restOf } from '../settings/rest-endpoint.ts';
import { RestClient } from '../rest/rest-client.ts';
import { sampleProject } from './sample-project.ts';
import { sampleWorkflows } from './sample-workflows.ts';
import { announceWaitingRequests } from './waiting-notices.ts';
import { welcomeText } from './welcome-text.ts';

const TENANT = 'demo';
/** How long the link to the console is good until it is used, and then the page that it signs in. */
const SIGN_IN_MS = 12 * 3_600_000;
/** A demonstration must not stop at a limit. */
const DEMO_LIMITS = {
  requestsPerSecond: 10_000,
  burst: 20_000,
  pendingInteractions: 100_000,
  openTasks: 100_000,
};

/**
 * Everything on this machine: a real Redis, one gateway, one worker, tenant `demo` with a sample project. What an
 * earlier start left in the data directory is used again, so keys survive, and a second process joins.
 */
export async function runDev(settings: Settings): Promise<RunningRole> {
  const dataDir = settings.BATON_DATA_DIR;
  const earlier = await readDevFile(dataDir);
  const redis = await redisOf(settings);
  const named = {
    redisUrl: redis.url,
    secret: settings.BATON_SECRET ?? earlier?.secret ?? newSecret(),
    operatorToken: settings.BATON_OPERATOR_TOKEN ?? earlier?.operatorToken ?? newSecret(),
  };
  const deployment = { ...named, anySecret: true };
  const started: RunningRole[] = [{ stop: () => redis.stop() }];
  const stop = async () => {
    for (const running of [...started].reverse()) await running.stop();
  };
  try {
    const store = await openStore(settings, deployment, `dev-setup-${process.pid}`);
    const { apiKey, linkKey, isNew } = await prepareTenant(store, earlier).finally(() => store.close());
    started.push(await runWorker({ ...settings, LOG_LEVEL: quietLogLevel(settings) }, deployment));
    const gateway = await runGateway({ ...settings, LOG_LEVEL: quietLogLevel(settings) }, deployment, {
      host: '127.0.0.1',
      unreadyMs: 0,
    });
    started.push(gateway);
    const file: DevFile = {
      url: gateway.url,
      mcpUrl: `${gateway.url}/mcp`,
      tenant: TENANT,
      apiKey,
      ...named,
    };
    const first = redis.source !== 'joined' || earlier === undefined;
    if (first) await writeDevFile(dataDir, file);
    if (isNew) await storeSampleWorkflows({ url: file.mcpUrl, key: apiKey });
    const signInLink = `${gateway.url}/console/#key=${linkKey}`;
    console.log(welcomeText(file, signInLink, devFilePath(dataDir), redis.source, first));
    const notices = announceWaitingRequests(gateway.store.tenant(TENANT), (line) => console.log(line));
    started.push({ stop: async () => notices.stop() });
  } catch (error) {
    await stop();
    throw explainPortInUse(error, settings);
  }
  return { stop };
}

/** The one that `REDIS_URL` names, which is never replaced by another: tasks would be put where nobody looks for them. */
async function redisOf({ REDIS_URL, BATON_DATA_DIR }: Settings): Promise<LocalRedis> {
  if (REDIS_URL !== undefined) return { url: REDIS_URL, source: 'REDIS_URL', stop: async () => {} };
  return findOrStartRedis(BATON_DATA_DIR, (line) => console.error(line));
}

/**
 * The tenant, its key and its sample project, made where they are missing, and a key for one sign-in at the console. Returns the keys, and whether
 * the project was made.
 */
async function prepareTenant(
  store: Store,
  earlier: DevFile | undefined,
): Promise<{ apiKey: string; linkKey: string; isNew: boolean }> {
  const operatorStore = new OperatorStore(store);
  await operatorStore
    .create({ id: TENANT, name: 'Demonstration', limits: DEMO_LIMITS })
    .catch((error: { code?: string }) => {
      if (error.code !== 'tenant_exists') throw error;
    });
  const tenant = store.tenant(TENANT);
  const isNew = (await tenant.projects.read('sample', [])) === undefined;
  if (isNew) {
    await runCommand(tenant, 'sample', { command: 'import', file: sampleProject });
  }
  const create = (input: Partial<KeyInput>) =>
    tenant.apiKeys.create({
      name: 'baton dev',
      principal: 'developer',
      scopes: ['mcp', 'agent', 'admin'],
      ...input,
    });
  const expiresAt = new Date(Date.now() + SIGN_IN_MS).toISOString();
  const linkKey = (await create({ name: 'console of baton dev', expiresAt })).key;
  const key = parseApiKey(earlier?.apiKey ?? '');
  if (key !== undefined && earlier !== undefined) {
    const known = await tenant
      .caller(key, 0)
      .admit(['mcp'])
      .catch(() => undefined);
    if (known !== undefined) return { apiKey: earlier.apiKey, linkKey, isNew };
  }
  return { apiKey: (await create({})).key, linkKey, isNew };
}

/** Over REST, which holds them against the tools. */
async function storeSampleWorkflows(endpoint: BatonEndpoint): Promise<void> {
  const tenant = new RestClient(restOf(endpoint));
  for (const workflow of sampleWorkflows)
    await tenant.request('PUT', `/workflows/${workflow.name}`, workflow);
}

/** The first screen is for people; the log joins it only where it matters, unless someone asked for more. */
function quietLogLevel(settings: Settings): Settings['LOG_LEVEL'] {
  return settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL;
}

function explainPortInUse(error: unknown, settings: Settings): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') return error;
  const next = settings.PORT + 1;
  return new ConfigurationError(
    `Port ${settings.PORT} is taken, perhaps by another Baton. Type: PORT=${next} npm start`,
  );
}
