import { nearestName } from '@baton/protocol';
import { AGENT_SECRETS, AGENT_SETTING_NAMES } from './agent-setting-names.ts';
import { SETTING_NAMES } from './environment.ts';

/** All that gateway, worker and the commands of a terminal read. */
const SETTINGS = new Set([
  ...SETTING_NAMES,
  ...Object.values(AGENT_SETTING_NAMES).map(([, variable]) => variable),
  ...AGENT_SECRETS.map((name) => `${name}_FILE`),
]);

/** What the compose file and its image read, beside the settings of a process. */
const OF_COMPOSE = [
  'BATON_REDIS_PASSWORD',
  'BATON_REDIS_MAXMEMORY',
  'BATON_PORT',
  'BATON_BIND',
  'BATON_BUILD_NETWORK',
  'BATON_VERSION',
  'BATON_NODE_IMAGE',
  'BATON_REDIS_IMAGE',
  'BATON_CADDY_IMAGE',
  'BATON_CADDY_TRUSTED_PROXIES',
  'BATON_PROMETHEUS_IMAGE',
  'BATON_PROMETHEUS_PORT',
  'BATON_GRAFANA_IMAGE',
  'BATON_GRAFANA_PASSWORD',
  'BATON_GRAFANA_PORT',
];

/** What Kubernetes sets in each container of a namespace that has a service named baton, or baton-something. */
const OF_KUBERNETES = /^BATON(_\w+)?_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)$/;

/**
 * A line for each variable that begins with `BATON_` and is no setting, in the order of their names, with the setting that it most likely means. Values
 * are not shown: one may be a secret.
 */
export function describeUnknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const known = new Set([...SETTINGS, ...OF_COMPOSE]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('BATON_') && !known.has(name) && !OF_KUBERNETES.test(name))
    .filter((name) => !(/^BATON_\w+_PORT$/.test(name) && /^(tcp|udp):/.test(environment[name] ?? '')))
    .toSorted()
    .map((name) => {
      const nearest = nearestName(name, SETTINGS);
      const hint =
        nearest === undefined ? 'docs/operating.md lists the settings' : `did you mean ${nearest}?`;
      return `${name} is no setting of Baton, and is ignored: ${hint}`;
    });
}

/** A line for who sets the port of docker-compose.yml and starts a gateway without it; what Kubernetes sets under that name is no port. */
export function describePortOfCompose({ BATON_PORT, PORT }: NodeJS.ProcessEnv): readonly string[] {
  return /^\d+$/.test(BATON_PORT ?? '') && !PORT
    ? [`BATON_PORT=${BATON_PORT} is read by docker-compose.yml alone: a gateway listens at PORT`]
    : [];
}
