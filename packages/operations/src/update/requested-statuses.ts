import { textUpToLast } from '@baton/protocol';
import type { IgnoredStatus, ProjectTaskUpdate } from '../project/index.ts';

interface Shown {
  readonly id: number;
  readonly status: string;
  readonly subtasks?: readonly Shown[];
}

/**
 * The one rule for statuses that an answer gives for tasks and subtasks: a status is taken where the answer quotes, as
 * `statusQuote`, words that stand in the request. It is the caller who asks for a status, in any language; one that a
 * model adds of itself, or that a sentence in a task asks for, has no such words.
 */
export class RequestedStatuses {
  private readonly request: string;

  constructor(request: string) {
    this.request = comparable(request);
  }

  /** The update with the statuses that are taken, and those that are not; the status that an item has already is neither. */
  select(
    update: ProjectTaskUpdate,
    shown: Shown | undefined,
  ): { readonly update: ProjectTaskUpdate; readonly ignored: IgnoredStatus[] } {
    const ignored: IgnoredStatus[] = [];
    const parts = new Map(shown?.subtasks?.map((part) => [part.id, part]));
    const { subtasks, ...own } = update;
    const task = this.selected(own, shown, `${update.id}`, ignored);
    if (subtasks === undefined) return { update: task, ignored };
    // A new one begins pending, whatever it says: that is told when it has its number.
    const selected = subtasks.map((part) =>
      part.isNew ? part : this.selected(part, parts.get(part.id), `${update.id}.${part.id}`, ignored),
    );
    return { update: { ...task, subtasks: selected }, ignored };
  }

  private selected<T extends Pick<ProjectTaskUpdate, 'status' | 'statusQuote'>>(
    { status, statusQuote, ...item }: T,
    shown: Shown | undefined,
    id: string,
    ignored: IgnoredStatus[],
  ): T {
    const rest = item as unknown as T;
    if (status === undefined || status === (shown?.status ?? 'pending')) return rest;
    if (this.holds(statusQuote)) return { ...rest, status };
    ignored.push({ id, status, reason: 'not_requested' });
    return rest;
  }

  private holds(quote: string | undefined): boolean {
    const words = comparable(quote ?? '');
    return words !== '' && this.request.includes(words);
  }
}

const WORDS = /[^\p{P}\p{S} ]+/gu;

/** Without case, width of characters, line breaks, and marks around it. */
function comparable(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\p{P}\p{S} ]+/u, '');
  return textUpToLast(words, WORDS);
}
