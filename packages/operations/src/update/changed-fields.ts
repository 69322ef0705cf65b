import {
  CUT_FIELDS,
  type IgnoredText,
  type ProjectTaskUpdate,
  type SubtaskUpdate,
} from '../project/index.ts';

/** A task or subtask as the request showed it; `cut` names the texts of which it showed only the beginning. */
interface Shown {
  readonly id: number;
  readonly cut?: readonly string[];
  readonly dependencies?: readonly (number | string)[];
  readonly subtasks?: readonly Shown[];
}

const FIELDS = ['title', ...CUT_FIELDS, 'priority'] as const;

type Texts = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

/**
 * What an answer changes of what it was shown. A field that it gives back as it was shown stays as it is by then: others may have
 * changed it while the LLM was at work. `dependenciesShown` is what the dependencies it gives go on from.
 */
export function changedFields(
  update: ProjectTaskUpdate,
  shown: Shown | undefined,
): { readonly update: ProjectTaskUpdate; readonly textsIgnored: IgnoredText[] } {
  const textsIgnored: IgnoredText[] = [];
  const { subtasks, ...own } = update;
  const task = changesOf(own, shown, `${update.id}`, textsIgnored);
  if (subtasks === undefined) return { update: task, textsIgnored };
  const parts = new Map(shown?.subtasks?.map((part) => [part.id, part]));
  const changed = subtasks.map((part) =>
    part.isNew ? part : changesOf(part, parts.get(part.id), `${update.id}.${part.id}`, textsIgnored),
  );
  return { update: { ...task, subtasks: changed }, textsIgnored };
}

function changesOf<T extends Omit<ProjectTaskUpdate, 'subtasks'> | SubtaskUpdate>(
  item: T,
  shown: Shown | undefined,
  id: string,
  textsIgnored: IgnoredText[],
): T {
  if (shown === undefined) return item;
  const was = shown as unknown as Texts;
  const given = item as Texts;
  const left: Record<string, unknown> = { ...item };
  for (const field of FIELDS) {
    const text = given[field];
    if (text === undefined) continue;
    const isSame = text.trim() === (was[field] ?? '').trim();
    const isCut = shown.cut?.includes(field) === true;
    if (isCut && !isSame) textsIgnored.push({ id, field: field as IgnoredText['field'] });
    if (isCut || isSame) delete left[field];
  }
  if (item.dependencies === undefined) return left as T;
  return { ...(left as T), dependenciesShown: shown.dependencies ?? [] };
}
