import { isTaskId } from '@baton/protocol';
import { print } from '../output/print.ts';
import { RestClient } from '../rest/rest-client.ts';
import { type RestFlags, tenantRest } from '../settings/rest-endpoint.ts';

export interface CancelFlags extends RestFlags {
  readonly json?: boolean;
}

/** `baton cancel`: ends a task, or takes an interaction back; the id says which. Returns the exit code. Errors: those of RestClient. */
export async function runCancel(
  id: string,
  flags: CancelFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const rest = new RestClient(await tenantRest(flags, environment, 'a key of the tenant'));
  const [kind, one] = isTaskId(id) ? ['tasks', 'task'] : ['interactions', 'interaction'];
  const value = await rest.request<{ readonly status: string }>(
    'POST',
    `/${kind}/${encodeURIComponent(id)}/cancel`,
  );
  print({ value, text: `The ${one} ${id} is ${value.status}.` }, flags);
  return 0;
}
