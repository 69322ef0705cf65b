import { BatonError } from '@baton/protocol';
import { topologyKey } from '../records/keys.ts';
import type { Connection } from '../redis/connection.ts';
import { UnsupportedSettingError } from '../redis/redis-errors.ts';
import { deriveSealKey } from './seal-key.ts';

/** The secrets of a process: the current one, and those that it knows beside it. */
export type Secrets = readonly [string, ...string[]];

/** What names a secret in Redis, and in the records that it has hashed, without giving it away. */
export function secretId(secret: string): string {
  return deriveSealKey(secret, 'id of the secret').id;
}

/** The form in which Redis has them: ids, the current secret's first. */
export function secretIds(secrets: Secrets): string {
  return secrets.map(secretId).join(' ');
}

/**
 * Whether a process with these secrets belongs to the deployment that `recorded` has. While a secret is changed, each of two processes knows the
 * other's current one; when the former is dropped, the new one is recorded beside it, whichever process started last.
 */
export function sharesSecrets(recorded: string, secrets: Secrets): boolean {
  const [current = '', ...known] = secretIds(secrets).split(' ');
  const [recordedCurrent = '', ...recordedKnown] = recorded.split(' ');
  return current === recordedCurrent || known.includes(recordedCurrent) || recordedKnown.includes(current);
}

/**
 * Records which secrets this process has, where none are recorded or where they are of one deployment. Errors: UnsupportedSettingError where the recorded ones
 * are another deployment's, since the process would refuse every key that is good there; with `anySecret` such a process starts, and nothing is recorded.
 */
export async function recordOrCheckSecrets(
  connection: Connection,
  prefix: string,
  secrets: Secrets,
  anySecret: boolean,
): Promise<void> {
  const own = secretIds(secrets);
  const read = () => connection.command((client) => client.hget(topologyKey(prefix), 'secrets'));
  let recorded = await read();
  if (recorded === null) {
    await writeIfThereIsRoom(connection, 'HSETNX', prefix, own);
    recorded = (await read()) ?? own;
  }
  if (recorded === own) return;
  if (sharesSecrets(recorded, secrets)) return writeIfThereIsRoom(connection, 'HSET', prefix, own);
  if (!anySecret) throw new UnsupportedSettingError(otherSecretText(prefix));
}

/** What a process and `baton doctor` say of a secret that is not the deployment's. */
export function otherSecretText(prefix: string): string {
  return (
    'BATON_SECRET is not the secret of the deployment on this Redis, whose API keys would all be refused. Set the one that its other processes have, ' +
    'or name it in BATON_SECRET_PREVIOUS where it is being changed (docs/operating.md, Change the secret). Where it is lost, ' +
    `redis-cli HDEL ${topologyKey(prefix)} secrets lets this one take its place; every key is then made anew.`
  );
}

/** Records them where a Redis has come back without its data. Errors: `unavailable`. */
export async function restoreSecrets(connection: Connection, prefix: string, ids: string): Promise<void> {
  await connection.write('HSETNX', topologyKey(prefix), 'secrets', ids);
}

/** A full Redis keeps no process from starting: the next start records it. */
async function writeIfThereIsRoom(
  connection: Connection,
  command: 'HSET' | 'HSETNX',
  prefix: string,
  ids: string,
): Promise<void> {
  await connection.write(command, topologyKey(prefix), 'secrets', ids).catch((error: unknown) => {
    if (!(error instanceof BatonError) || error.code !== 'unavailable') throw error;
  });
}
