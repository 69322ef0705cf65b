import { isRecord } from '@baton/protocol';
import type { SeededRandom } from '../harness/seeded-random.ts';

/** The accepted forms of the same answer. */
export const ANSWER_FORMS = ['object', 'bare', 'text', 'fenced'] as const;

/** Faults of an answer. Baton accepts the last four and asks again after the others. */
export const ANSWER_FAULTS = [
  'missing_field',
  'wrong_type',
  'half_json',
  'empty_list',
  'duplicate_ids',
  'unknown_dependencies',
  'cycle',
  'prose_around',
] as const;

export type AnswerForm = (typeof ANSWER_FORMS)[number];
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

/** The `data` of an answer with `value` in the given form. */
export function wrapAnswer(value: unknown, form: AnswerForm): NonNullable<unknown> {
  const json = JSON.stringify(value, null, 2);
  if (form === 'object') return { object: value };
  if (form === 'text') return { text: json };
  if (form === 'fenced') return { text: `\`\`\`json\n${json}\n\`\`\`` };
  return isRecord(value) ? value : { object: value };
}

/** The `data` of an answer with `fault`; a fault that the value cannot have becomes a missing field. */
export function corruptAnswer(
  value: unknown,
  fault: AnswerFault,
  form: AnswerForm,
  random: SeededRandom,
): NonNullable<unknown> {
  const json = JSON.stringify(value, null, 2);
  if (fault === 'half_json') return { text: json.slice(0, Math.ceil(json.length / 2)) };
  if (fault === 'prose_around')
    return { text: `Here is what you asked for:\n\n\`\`\`json\n${json}\n\`\`\`\n\nAnything else?` };
  const copy: unknown = structuredClone(value);
  const list = firstList(copy);
  const items = (list ?? []).filter(isRecord);
  const withIds = items.filter((item) => 'id' in item);
  const [first, last] = [withIds[0], withIds.at(-1)];
  if (fault === 'empty_list' && list) {
    list.length = 0;
  } else if (fault === 'duplicate_ids' && first) {
    for (const item of withIds) item['id'] = first['id'];
  } else if (fault === 'unknown_dependencies' && last) {
    last['dependencies'] = [9_999];
  } else if (fault === 'cycle' && first && last) {
    first['dependencies'] = [last['id']];
    last['dependencies'] = [first['id']];
  } else {
    damageField(items.length > 0 ? random.pick(items) : copy, fault, random);
  }
  return wrapAnswer(copy, form);
}

/** Removes a field, or gives it a value of a type that no schema of Baton has there. */
function damageField(target: unknown, fault: AnswerFault, random: SeededRandom): void {
  if (!isRecord(target)) return;
  const names = Object.keys(target);
  // Required names first: an answer without an optional field would still be valid.
  const vital = names.filter((name) => /^(id|title|name|value)$/.test(name));
  const name = names.length > 0 ? random.pick(vital.length > 0 ? vital : names) : 'value';
  if (fault === 'wrong_type') target[name] = { unexpected: true };
  else delete target[name];
}

/** The first list in a value, outermost first. */
function firstList(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  for (const inner of Object.values(value)) if (Array.isArray(inner)) return inner;
  for (const inner of Object.values(value)) {
    const list = firstList(inner);
    if (list) return list;
  }
  return undefined;
}
