import type { BulkRetriedReply, RetriedTaskReply } from '@baton/gateway/reply-types';
import { print } from '../output/print.ts';
import { EXIT_CODES, UsageError } from '../process/exit-codes.ts';
import { openRest, type RestClient } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { type OriginFlags, readOriginFilter } from './origin-filter.ts';

export interface RetryFlags extends RestFlags, OriginFlags {
  /** All that failed and match the filters below, the newest first, in the place of ids. */
  readonly all?: boolean;
  readonly operation?: string;
  readonly errorCode?: string;
  readonly dryRun?: boolean;
}

/** How long each is waited for, so that its next request is open when the command ends. */
const WAIT_MS = 5_000;

/** `baton retry`: has tasks that failed go on: those that are named, one after the other, or with `--all` those that match. Returns the exit code. Errors: those of RestClient, for the first that is refused. */
export async function runRetry(
  ids: readonly string[],
  flags: RetryFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const given = ids.length > 0;
  if (given === (flags.all === true)) throw new UsageError('retry: name the tasks, or give --all');
  const rest = await openRest(flags, environment, "a key of the tasks' own principal, or of an admin");
  if (!given) return retryAll(rest, flags);
  const retried: RetriedTaskReply[] = [];
  for (const id of ids) {
    const path = `/tasks/${encodeURIComponent(id)}/retry`;
    const task = await rest.request<RetriedTaskReply>('POST', path, { waitMs: WAIT_MS });
    retried.push(task);
    if (flags.json !== true) print({ value: task, text: describe(task) }, flags);
  }
  if (flags.json === true) print({ value: retried }, flags);
  return 0;
}

/** Page by page, until a limit of the tenant stops it: the same command goes on later. */
async function retryAll(rest: RestClient, flags: RetryFlags): Promise<number> {
  const { operation, errorCode, dryRun = false } = flags;
  const filter = {
    ...(operation !== undefined && { operation }),
    ...(errorCode !== undefined && { errorCode }),
    ...readOriginFilter(flags),
  };
  const tasks: BulkRetriedReply['tasks'][number][] = [];
  const cursors = rest.cursorsOf('/tasks/retry');
  let page: BulkRetriedReply & { readonly nextCursor?: string };
  let cursor: string | undefined;
  do {
    const body = { filter, dryRun, ...(cursor !== undefined && { cursor }) };
    page = await rest.request<typeof page>('POST', '/tasks/retry', body);
    tasks.push(...page.tasks);
    cursor = cursors.after(page);
  } while (cursor !== undefined && page.stopped === undefined);
  const { stopped } = page;
  const rows = tasks.map(({ taskId, operation: name, result, error }) => [
    taskId,
    name,
    result,
    error?.message,
  ]);
  const notes = stopped === undefined ? [] : [`It stopped there (${stopped.code}): ${stopped.message}`];
  const value = { dryRun, tasks, ...(stopped !== undefined && { stopped }) };
  if (tasks.length === 0 && stopped === undefined)
    print({ value, text: 'No task that failed matches.' }, flags);
  else print({ value, table: [['task', 'operation', 'result', 'why'], ...rows], notes }, flags);
  return stopped === undefined ? EXIT_CODES.ok : EXIT_CODES.unavailable;
}

function describe({ taskId, status, replayed }: RetriedTaskReply): string {
  const how = replayed === true ? 'was retried before' : 'goes on';
  return status === 'input_required'
    ? `The task ${taskId} ${how}, and waits for an answer of an LLM: baton pending, or baton agent --once`
    : `The task ${taskId} ${how}; it is ${status}: baton show ${taskId}`;
}
