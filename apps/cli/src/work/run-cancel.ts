import { isTaskId } from '@baton/protocol';
import { print } from '../output/print.ts';
import { openRest } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';

/** `baton cancel`: ends a task, or takes an interaction back; the id says which. Returns the exit code. Errors: those of RestClient. */
export async function runCancel(
  id: string,
  flags: RestFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const rest = await openRest(flags, environment, 'a key of the tenant');
  const [kind, one] = isTaskId(id) ? ['tasks', 'task'] : ['interactions', 'interaction'];
  const value = await rest.request<{ readonly status: string }>(
    'POST',
    `/${kind}/${encodeURIComponent(id)}/cancel`,
  );
  print({ value, text: `The ${one} ${id} is ${value.status}.` }, flags);
  return 0;
}
