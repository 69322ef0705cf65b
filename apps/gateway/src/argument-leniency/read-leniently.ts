import { isRecord, type JsonObject } from '@baton/protocol';
import { isHostField } from './host-fields.ts';
import { readCommaList, readForm } from './value-forms.ts';
import { type PropertyShape, shapeOfSchema, type ValueShape } from './value-shape.ts';

/**
 * Arguments as their schema has them, from what callers and models write: null, and a blank text where none is meant, for what is left out; a
 * value in another form (`value-forms.ts`); fields that hosts add. What cannot be read so stays as it came, for the schema to refuse.
 */
export function readLeniently(args: unknown, schema: JsonObject, listsForms = true): unknown {
  const shape = shapeOfSchema(schema, listsForms);
  const read = readValue(args ?? {}, shape);
  return isRecord(read) && shape.isClosed ? withoutHostFields(read, shape) : read;
}

function withoutHostFields(args: Record<string, unknown>, { properties }: ValueShape): object {
  const isDropped = (name: string) => !properties.has(name) && isHostField(name);
  if (!Object.keys(args).some(isDropped)) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !isDropped(name)));
}

function readValue(value: unknown, shape: ValueShape): unknown {
  if (value === null || value === undefined || shape.types.size === 0) return value;
  const given = isOf(value, shape.types) ? value : readOther(value, shape);
  if (Array.isArray(given)) return readItems(given, shape.items);
  return isRecord(given) && shape.properties.size > 0 ? readProperties(given, shape.properties) : given;
}

function readOther(value: unknown, { types, otherForms, items }: ValueShape): unknown {
  const read = readForm(value, types, otherForms);
  if (read !== undefined) return read;
  const isTextOfItsOwn = types.has('string') || otherForms.has('string');
  const isListOfWords = types.has('array') && !isTextOfItsOwn && items !== undefined && isWord(items);
  return (isListOfWords ? readCommaList(value) : undefined) ?? value;
}

function isWord({ types }: ValueShape): boolean {
  return ['string', 'integer', 'number'].some((type) => types.has(type));
}

/** The same array where nothing in it is to be read otherwise. */
function readItems(values: readonly unknown[], items: ValueShape | undefined): unknown {
  if (items === undefined || items.types.size === 0) return values;
  const read = values.map((value) => readValue(value, items));
  return read.some((value, at) => value !== values[at]) ? read : values;
}

/** The same object where nothing in it is to be read otherwise. */
function readProperties(
  given: Record<string, unknown>,
  properties: ReadonlyMap<string, PropertyShape>,
): object {
  let changed: Record<string, unknown> | undefined;
  for (const [name, property] of properties) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name];
    const isLeftOut = isLeftOutAs(value, property);
    const read = isLeftOut ? undefined : readValue(value, property);
    if (read === value) continue;
    changed ??= { ...given };
    if (isLeftOut) delete changed[name];
    else changed[name] = read;
  }
  return changed ?? given;
}

function isLeftOutAs(value: unknown, property: PropertyShape): boolean {
  const { isRequired, takesNull, isEnum, types, refusesText } = property;
  if (isRequired) return false;
  if (value === null) return !takesNull;
  if (typeof value !== 'string' || value.trim() !== '') return false;
  return isEnum || (types.size > 0 && !types.has('string')) || refusesText(value);
}

function isOf(value: unknown, types: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return types.has('array');
  if (typeof value === 'number')
    return types.has('number') || (types.has('integer') && Number.isInteger(value));
  return types.has(typeof value);
}
