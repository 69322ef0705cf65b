import { parse } from 'yaml';

interface ComposeService {
  readonly image?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
}

/** The capabilities that a service keeps: Caddy's binary is marked with one, and does not start without. */
const KEPT: Readonly<Record<string, readonly string[]>> = { caddy: ['NET_BIND_SERVICE'] };

/** What in a compose file leaves a container more than it needs, or opens it to the network; a sentence each. */
export function findComposeWeaknesses(text: string): string[] {
  const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  const found = Object.entries(services).flatMap(([name, service]) => [
    ...(service.read_only === true ? [] : [`${name} may write its file system`]),
    ...(service.cap_drop?.includes('ALL') ? [] : [`${name} has capabilities`]),
    ...(service.cap_add ?? [])
      .filter((kept) => !KEPT[name]?.includes(kept))
      .map((kept) => `${name} has ${kept}`),
    ...(service.security_opt?.includes('no-new-privileges:true') ? [] : [`${name} may gain privileges`]),
    ...(service.ports ?? [])
      .filter((port) => !port.startsWith('${BATON_BIND:-127.0.0.1}:'))
      .map((port) => `${name} is open at ${port}`),
    ...(service.image === undefined ||
    service.image.startsWith('${BATON_') ||
    service.image.startsWith('baton-')
      ? []
      : [`the image of ${name} cannot be pinned`]),
  ]);
  const { redis, gateway, worker } = services;
  if (!String(redis?.command).includes('requirepass')) found.push('Redis takes commands without a password');
  for (const [name, service] of Object.entries({ gateway, worker }))
    if (!service?.environment?.['REDIS_URL']?.includes('BATON_REDIS_PASSWORD:?'))
      found.push(`${name} starts without a password of Redis`);
  return found;
}
