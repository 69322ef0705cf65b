import { moveToCurrentSecret, type TenantSecrets } from '@baton/store/operator';
import { plainLine } from '../output/plain-text.ts';
import { type Deployment, openStore } from '../roles/open-store.ts';
import { ConfigurationError, type Settings } from '../settings/environment.ts';

/**
 * `baton reseal`: a step of changing BATON_SECRET, run beside the processes of the deployment, as often as wanted. Seals the keys of LLM
 * endpoints with the current secret, and names what still needs one before it. Returns the exit code: 0 when nothing does.
 * Throws ConfigurationError where no secret before the current one is given.
 */
export async function runReseal(
  settings: Settings,
  deployment: Deployment,
  { json }: { readonly json?: boolean },
): Promise<number> {
  if (settings.BATON_SECRET_PREVIOUS.length === 0)
    throw new ConfigurationError(
      'BATON_SECRET_PREVIOUS is not set: it holds the secrets before BATON_SECRET, which open what is to be moved',
    );
  const store = await openStore(settings, deployment, `reseal-${process.pid}`);
  let left = 0;
  try {
    for await (const tenant of moveToCurrentSecret(store)) {
      const { resealed, unreadable, unseenKeys } = tenant;
      left += unreadable.length + unseenKeys.length;
      if (resealed.length + unreadable.length + unseenKeys.length === 0) continue;
      console.log(json === true ? JSON.stringify(tenant) : linesOf(tenant).map(plainLine).join('\n'));
    }
  } finally {
    await store.close();
  }
  if (json !== true && left === 0)
    console.log('Nothing needs a secret of BATON_SECRET_PREVIOUS any more but sessions and cursors.');
  return left === 0 ? 0 : 1;
}

function linesOf({ tenant, resealed, unreadable, unseenKeys }: TenantSecrets): string[] {
  return [
    ...resealed.map((role) => `${tenant}: the endpoint keys of the role ${role} are sealed anew`),
    ...unreadable.map(
      (role) =>
        `${tenant}: the endpoint keys of the role ${role} open with no secret given: put the role again`,
    ),
    ...unseenKeys.map(
      ({ id, name, lastUsedAt }) =>
        `${tenant}: the key ${id} (${name}) has not called since, last ${lastUsedAt ?? 'never'}: have it call, or rotate it`,
    ),
  ];
}
