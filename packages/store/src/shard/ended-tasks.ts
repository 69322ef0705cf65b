import { type TenantKeys, taskIdFromRef } from '../records/keys.ts';
import { FIELD } from '../records/task-record.ts';
import type { Connection } from '../redis/connection.ts';
import { FORGET_TASKS, STRIP_TASKS } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';

/** One run of FORGET_TASKS deletes so many at most, which takes less than a millisecond. */
const FORGOTTEN_AT_ONCE = 16;

/** One run of STRIP_TASKS passes about so many fields, and bytes. */
const FIELDS_PER_RUN = 1_000;
const BYTES_PER_RUN = 1_048_576;

/** Deletes ended tasks, by their refs, with the idempotency keys that started them: those whose time is over, or that are too many. */
export async function forgetTasks(
  connection: Connection,
  keys: TenantKeys,
  refs: readonly string[],
): Promise<void> {
  // One after another: calls that are made together run as one command.
  for (let from = 0; from < refs.length; from += FORGOTTEN_AT_ONCE)
    await forgetSome(connection, keys, refs.slice(from, from + FORGOTTEN_AT_ONCE));
}

async function forgetSome(connection: Connection, keys: TenantKeys, refs: readonly string[]): Promise<void> {
  const forget = async (these: readonly string[], plain: 0 | 1, digests: readonly (string | null)[]) => {
    const records = these.flatMap((ref, at) => {
      const taskId = taskIdFromRef(ref);
      return [keys.task(taskId), keys.past(taskId), keys.idempotency(digests[at] ?? '')];
    });
    return runScript({ connection, keys }, FORGET_TASKS, {}, { plain }, { keys: records, args: these });
  };
  // Most of them left nothing else: they go with one call.
  const [, ...others] = (await forget(refs, 1, [])).map(String);
  if (others.length === 0) return;
  const taskIds = others.map(taskIdFromRef);
  await Promise.all(taskIds.map((taskId) => unlinkChunks(connection, keys, taskId)));
  const digests = await connection.command((client) =>
    Promise.all(taskIds.map((taskId) => client.hget(keys.task(taskId), FIELD.idempotency))),
  );
  await forget(others, 0, digests);
}

/** Takes what is large out of ended tasks, by their refs, while they have too many bytes. */
export async function stripTasks(
  connection: Connection,
  keys: TenantKeys,
  refs: readonly string[],
): Promise<void> {
  if (refs.length === 0) return;
  const taskIds = refs.map(taskIdFromRef);
  await Promise.all(taskIds.map((taskId) => unlinkChunks(connection, keys, taskId)));
  await runScript(
    { connection, keys },
    STRIP_TASKS,
    {},
    { fields: FIELDS_PER_RUN, bytes: BYTES_PER_RUN },
    { keys: taskIds.flatMap((taskId) => [keys.task(taskId), keys.past(taskId)]), args: refs },
  );
}

/** Chunks of an answer that never came whole: no script that is given tasks can name their keys. */
async function unlinkChunks(connection: Connection, keys: TenantKeys, taskId: string): Promise<void> {
  await connection.command(async (client) => {
    const opened = Number(await client.hget(keys.task(taskId), FIELD.interactions_opened));
    if (opened === 0) return;
    const numbers = Array.from({ length: opened }, (_, at) => at + 1);
    const states = await client.hmget(
      keys.task(taskId),
      ...numbers.map((number) => `${FIELD.chunk_state}${number}`),
    );
    const streamed = numbers.filter((_, at) => states[at] !== null);
    if (streamed.length > 0) await client.unlink(...streamed.map((number) => keys.chunks(taskId, number)));
  });
}
