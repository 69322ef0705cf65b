import { isIP } from 'node:net';
import { DEFAULT_EDGE_LIMITS as edge } from '@baton/gateway/configuration';
import { z } from 'zod';
import { MIN_SECRET_LENGTH, previousSecretsSchema } from './previous-secrets.ts';
import { readUtf8 } from './read-utf8.ts';

/** A bad or missing setting: the process ends with 78 (EX_CONFIG) and this message. */
export class ConfigurationError extends Error {
  readonly exitCode = 78;
}

/** A whole number of a range, written in digits. */
export function wholeNumberSchema(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(error).int(error).min(least, error).max(most, error);
}

const milliseconds = (fallback: number) => wholeNumberSchema(1_000, 31_536_000_000).default(fallback);
const count = (fallback: number) => wholeNumberSchema(1, 1_000_000_000_000).default(fallback);
const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');
const port = wholeNumberSchema(0, 65_535).default(8_080);
/** Values separated by commas; blanks and empty ones are left out. */
export const commaSeparatedSchema = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** True for a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/');
  const version = isIP(address);
  return (
    rest.length === 0 &&
    version > 0 &&
    /^\d{1,3}$/.test(length) &&
    Number(length) <= (version === 4 ? 32 : 128)
  );
}

/** As browsers send it in `Origin`, or any. */
const ORIGIN = /^(\*|[a-z][a-z0-9+.-]*:\/\/[^/\s?#@]+\/?)$/i;

/** Every setting, from the environment, units in the names. */
const settings = z.object({
  REDIS_URL: z
    .string()
    .regex(
      /^(rediss?(\+cluster)?:\/\/|unix:\/\/|rediss?\+sentinel:\/\/[^/]+\/[^/?]+(\/\d+)?(\?sentinelPassword=.*)?$)/,
      'must be redis://, unix://, redis+cluster://host:port,host:port, or redis+sentinel://host:port,host:port/<master> with the name of the master that the Sentinels watch; rediss for TLS',
    )
    .optional(),
  PORT: port,
  BATON_OPERATOR_PORT: wholeNumberSchema(0, 65_535).optional(),
  HOST: z.string().min(1).optional(),
  BATON_DATA_DIR: z.string().min(1).default('.baton'),
  BATON_SECRET: z
    .string()
    .min(MIN_SECRET_LENGTH, `must have at least ${MIN_SECRET_LENGTH} characters`)
    .optional(),
  BATON_SECRET_PREVIOUS: previousSecretsSchema,
  BATON_OPERATOR_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  BATON_INTERACTION_TTL_MS: milliseconds(3_600_000),
  BATON_TASK_TTL_MS: milliseconds(86_400_000),
  BATON_RETENTION_MS: milliseconds(86_400_000),
  BATON_KEY_TTL_MS: wholeNumberSchema(0, 3_153_600_000_000).default(0),
  BATON_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://baton.example' })
    .transform((url) => url.replace(/\/$/, ''))
    .optional(),
  BATON_TRUST_PROXY: flag,
  BATON_ALLOWED_ORIGINS: commaSeparatedSchema.refine(
    (origins) => origins.every((origin) => ORIGIN.test(origin)),
    {
      error: 'must be origins without a path, such as https://app.example, or *',
    },
  ),
  BATON_METRICS_OPEN: flag,
  BATON_MAX_CONNECTIONS: count(edge.connections),
  BATON_MAX_CONNECTIONS_PER_ADDRESS: count(edge.connectionsPerAddress),
  BATON_MAX_CONNECTIONS_PER_KEY: count(edge.connectionsPerKey),
  BATON_MAX_BUFFER_BYTES: count(edge.bufferBytes),
  BATON_MAX_BUFFER_BYTES_PER_KEY: count(edge.bufferBytesPerKey),
  BATON_WRITE_STALL_MS: milliseconds(edge.writeStallMs),
  BATON_REFUSED_BYTES_PER_SECOND: count(edge.refusedBytesPerSecond),
  BATON_WRONG_CREDENTIALS_PER_SECOND: count(edge.wrongCredentialsPerSecond),
  BATON_REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/, 'must be 1 to 40 letters, digits, _ or -')
    .default('baton'),
  /** How many replicas of Redis must have what is acknowledged, and how long they are waited for. */
  BATON_REDIS_WAIT_REPLICAS: wholeNumberSchema(0, 9).default(0),
  BATON_REDIS_WAIT_MS: wholeNumberSchema(10, 4_000).default(1_000),
  /** Whether it must be on the disk of Redis too (WAITAOF, Redis 7.2). */
  BATON_REDIS_WAIT_AOF: flag,
  BATON_SHARDS: wholeNumberSchema(1, 64).optional(),
  BATON_UNREADY_MS: wholeNumberSchema(0, 60_000).optional(),
  BATON_DRAIN_MS: wholeNumberSchema(0, 600_000).default(8_000),
  /** Of a worker: its calls to LLM endpoints at once, and the networks that they may reach beside the public internet. */
  BATON_PROVIDER_CALLS: wholeNumberSchema(1, 10_000).default(1_000),
  BATON_EGRESS_ALLOW: commaSeparatedSchema.refine((networks) => networks.every(isNetwork), {
    error: 'must be networks in CIDR notation, such as 10.1.0.0/16',
  }),
  BATON_HEALTH_PORT: wholeNumberSchema(0, 65_535).optional(),
  BATON_REPLICA: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,80}$/, 'must be 1 to 80 letters, digits or . _ -')
    .optional(),
  /** Where traces go; OpenTelemetry's SDK reads it, and its other variables, itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an address such as http://127.0.0.1:4318' })
    .optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** The operations of the tests (`bench_echo`, ...) beside the product's own. Refused in production. */
  BATON_TEST_OPERATIONS: flag,
  /** Where the official conformance suite finds its tools, on 127.0.0.1 and without credentials. Refused in production. */
  BATON_CONFORMANCE_PORT: wholeNumberSchema(0, 65_535).optional(),
});
export type Settings = z.infer<typeof settings>;

/** Settings that may also stand in a file, named by `<NAME>_FILE`, as container secrets do. */
const SECRETS = ['REDIS_URL', 'BATON_SECRET', 'BATON_SECRET_PREVIOUS', 'BATON_OPERATOR_TOKEN'] as const;

/** The names of all settings of gateways and workers, those of files with secrets among them. */
export const SETTING_NAMES: readonly string[] = [
  ...Object.keys(settings.shape),
  ...SECRETS.map((name) => `${name}_FILE`),
];

/** A gateway listens at each of them that is set. */
const GATEWAY_PORTS = ['PORT', 'BATON_OPERATOR_PORT', 'BATON_CONFORMANCE_PORT'] as const;

function refuseSharedPort(given: Settings): void {
  // Each 0 takes a free port of its own.
  const ports = GATEWAY_PORTS.filter((name) => given[name]);
  for (const [at, name] of ports.entries()) {
    const other = ports.slice(0, at).find((earlier) => given[earlier] === given[name]);
    if (other !== undefined)
      throw new ConfigurationError(
        `${name}=${given[name]}: is the port of ${other} too; set another for one of them`,
      );
  }
}

/** Parses the environment, once. Throws ConfigurationError naming each bad variable, its value and the reason. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const given = readSecretFiles(environment, SECRETS);
  const parsed = settings.safeParse(given);
  if (parsed.success) {
    const { BATON_TEST_OPERATIONS, BATON_CONFORMANCE_PORT } = parsed.data;
    refuseSharedPort(parsed.data);
    if (environment['NODE_ENV'] !== 'production') return parsed.data;
    if (BATON_TEST_OPERATIONS)
      throw new ConfigurationError('BATON_TEST_OPERATIONS=true: is for tests, and NODE_ENV is production');
    if (BATON_CONFORMANCE_PORT !== undefined)
      throw new ConfigurationError(
        `BATON_CONFORMANCE_PORT=${BATON_CONFORMANCE_PORT}: lets everyone in without a key, and NODE_ENV is production`,
      );
    return parsed.data;
  }
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const secret = (SECRETS as readonly string[]).includes(name);
    return `${name}=${secret ? '(hidden)' : (given[name] ?? '')}: ${issue.message}`;
  });
  throw new ConfigurationError(lines.join('\n'));
}

/** The environment with the secrets that stand in files, each named by `<NAME>_FILE`. Throws ConfigurationError. */
export function readSecretFiles(
  environment: NodeJS.ProcessEnv,
  secrets: readonly string[],
): NodeJS.ProcessEnv {
  // An empty variable is one that was not set: compose files and charts leave such behind.
  const given: NodeJS.ProcessEnv = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  );
  for (const name of secrets) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined)
      throw new ConfigurationError(`${name} and ${name}_FILE are both set; set one of them`);
    try {
      given[name] = readUtf8(file).trim();
    } catch (error) {
      throw new ConfigurationError(
        `${name}_FILE=${file}: ${error instanceof Error ? error.message : 'unreadable'}`,
      );
    }
  }
  return given;
}

/** A setting that this command cannot do without. */
export function requireSetting<K extends keyof Settings>(
  given: Settings,
  name: K,
  why: string,
): NonNullable<Settings[K]> {
  const value = given[name];
  if (value === undefined || value === null) throw new ConfigurationError(`${name} is not set: ${why}`);
  return value;
}
