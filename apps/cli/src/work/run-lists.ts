import type { InteractionReply, TaskReply } from '@baton/gateway/reply-types';
import { plainLine } from '../output/plain-text.ts';
import { print } from '../output/print.ts';
import { EXIT_CODES } from '../process/exit-codes.ts';
import { openRest, type RestClient } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { type OriginFlags, readOriginFilter } from './origin-filter.ts';
import { readLimit } from './read-limit.ts';

export interface ListFlags extends RestFlags, OriginFlags {
  readonly status?: string;
  readonly operation?: string;
  readonly limit?: string;
  /** Ids alone, a line each. */
  readonly quiet?: boolean;
}

/** `baton pending`: what waits for an answer, oldest first. Returns the exit code. Errors: those of RestClient, UsageError. */
export async function runPending(flags: ListFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const rest = await listing(flags, environment);
  const { items, more } = await rest.list<InteractionReply>(
    `/interactions${query({ status: 'pending', operation: flags.operation, ...readOriginFilter(flags) })}`,
    'interactions',
    readLimit(flags.limit),
  );
  if (flags.quiet === true) return printIds(items.map(({ interactionId }) => interactionId));
  if (items.length === 0) return empty('Nothing waits for an answer.', flags);
  const rows = items.map(({ interactionId, operation, principal, expiresAt = '', claimedBy, summary }) => [
    interactionId,
    operation,
    principal,
    expiresAt,
    claimedBy === undefined ? '' : [claimedBy.principal, claimedBy.holder].filter(Boolean).join(' '),
    summary,
  ]);
  const table = [['interaction', 'operation', 'of', 'until', 'claimed by', 'request'], ...rows];
  const notes = [
    ...(more ? [moreText(items.length)] : []),
    'Answer one: baton show <interaction>, then baton answer <interaction> @answer.json',
  ];
  print({ value: items, table, notes }, flags);
  return EXIT_CODES.ok;
}

/** `baton tasks`: a tenant's tasks, newest first. Returns the exit code. Errors: as `runPending`. */
export async function runTasks(flags: ListFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const rest = await listing(flags, environment);
  const { status, operation } = flags;
  const { items, more } = await rest.list<TaskReply>(
    `/tasks${query({ status, operation, ...readOriginFilter(flags) })}`,
    'tasks',
    readLimit(flags.limit),
  );
  if (flags.quiet === true) return printIds(items.map(({ taskId }) => taskId));
  if (items.length === 0) return empty('There are no tasks.', flags);
  const rows = items.map((one) => [one.taskId, one.status, one.principal, one.lastUpdatedAt, one.operation]);
  print(
    {
      value: items,
      table: [['task', 'status', 'of', 'changed', 'operation'], ...rows],
      notes: more ? [moreText(items.length)] : [],
    },
    flags,
  );
  return EXIT_CODES.ok;
}

async function listing(flags: ListFlags, environment: NodeJS.ProcessEnv): Promise<RestClient> {
  return openRest(flags, environment, 'a key of the tenant');
}

function printIds(ids: readonly string[]): number {
  for (const id of ids) console.log(plainLine(id));
  return EXIT_CODES.ok;
}

function empty(text: string, flags: ListFlags): number {
  print({ value: [], text }, flags);
  return EXIT_CODES.ok;
}

/** With its question mark; empty where nothing is wanted. */
function query(wanted: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function moreText(shown: number): string {
  return `There are more than these ${shown}: --limit shows more of them.`;
}
