import { FIELD, INTERACTION_FIELD_PATTERN } from '../records/task-record.ts';

const NAMES = Object.keys(FIELD) as (keyof typeof FIELD)[];
const OF_INTERACTION = new RegExp(`${INTERACTION_FIELD_PATTERN.replace('%d', '\\d+')}$`);

/** The name of a stored field, or undefined for one that is none of a task. */
export function taskFieldNameOf(stored: string): keyof typeof FIELD | undefined {
  return NAMES.find((name) => {
    const field = FIELD[name];
    if (field.endsWith(':')) return stored.startsWith(field) && stored !== field;
    if (OF_INTERACTION.test(`${field}1`)) return OF_INTERACTION.test(stored) && stored[0] === field;
    return stored === field;
  });
}
