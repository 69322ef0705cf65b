import { formatInteractionId } from '@baton/protocol';
import { formatSummaryField, type InteractionRequest } from './interaction-request.ts';
import type { PendingInteraction } from './task-view.ts';
import type { Lifetimes } from './durations.ts';

/** A wait of a segment: an interaction with an agent or with an LLM endpoint that a worker calls (`provider`), or a sleep. */
export type Wait =
  /** `limit`: that within which the tenant has no room for what the task is about to change. */
  | {
      readonly kind: 'sleep';
      readonly path: string;
      readonly ms: number;
      readonly limit?: string | undefined;
    }
  | {
      readonly kind: 'llm' | 'provider';
      readonly path: string;
      readonly request: InteractionRequest;
    };

/** What a segment writes when it parks: journal entries to add and to drop, by path, and its waits. */
export interface ParkRequest {
  readonly journal: readonly (readonly [path: string, entry: string])[];
  readonly drops: readonly string[];
  readonly waits: readonly Wait[];
}

/** Adds waits as the scripts take them: kind, path, milliseconds until due, request, summary. */
export function pushWaitArgs(
  args: (string | number)[],
  waits: readonly Wait[],
  { interaction }: Lifetimes,
): void {
  for (const wait of waits) {
    if (wait.kind === 'sleep') args.push(wait.limit ?? wait.kind, wait.path, wait.ms, '', '');
    else
      args.push(
        wait.kind,
        wait.path,
        interaction,
        JSON.stringify(wait.request),
        formatSummaryField(wait.request),
      );
  }
}

/** Reads what OPEN has opened of a task's waits: `createdAt, (path, number, due)...`. */
export function parseOpenedInteractions(
  taskId: string,
  waits: readonly Wait[],
  [createdAt, ...opened]: readonly unknown[],
): PendingInteraction[] {
  const byPath = new Map(waits.map((wait) => [wait.path, wait]));
  const pending: PendingInteraction[] = [];
  for (let at = 0; at + 2 < opened.length; at += 3) {
    const [path, number, due] = opened.slice(at, at + 3);
    const wait = byPath.get(String(path));
    if (wait === undefined || wait.kind === 'sleep') continue;
    pending.push({
      interactionId: formatInteractionId(taskId, Number(number)),
      createdAt: Number(createdAt),
      expiresAt: Number(due),
      request: wait.request,
    });
  }
  return pending;
}
