import type { AnyJson } from '../../harness/mcp-client.ts';
import { type JourneyDeployment, TENANT } from '../deployment/journey-deployment.ts';

/** Requests, claims, deadlines, ready tasks and jobs that are left when everything is done. */
export async function checkNothingLeftOpen(
  deployment: Pick<JourneyDeployment, 'rest' | 'redis' | 'key'>,
): Promise<string[]> {
  const { interactions } = await deployment.rest(
    'GET',
    '/interactions?status=pending',
    undefined,
    deployment.key,
  );
  const { openTasks } = await deployment.rest('GET', `/tenants/${TENANT}`);
  const sets = ['ready', 'held', 'deadlines', 'pending', 'claims'];
  const sizes = await Promise.all(
    sets.map((name) => deployment.redis.zcard(`baton:{s0}:t:${TENANT}:${name}`)),
  );
  const { next: _, ...jobs } = await deployment.redis.hgetall(`baton:{s0}:t:${TENANT}:jobs`);
  return [
    ...interactions.map(({ interactionId }: AnyJson) => `request ${interactionId} is pending`),
    ...(openTasks === 0 ? [] : [`${openTasks} tasks count as open`]),
    ...Object.entries(jobs).map(([name, value]) => `job ${name} of the tenant has ${value}`),
    ...sets.flatMap((name, at) => (sizes[at] === 0 ? [] : [`${name} holds ${sizes[at]}`])),
  ];
}
