import { isRecord } from '@baton/protocol';

/** A JSON Schema, or a part of one. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** A schema that says what both say, where a value must fit both; what the first says stands. */
export function mergeSchemas(first: SchemaNode, second: SchemaNode): SchemaNode {
  return {
    ...second,
    ...first,
    ...bothProperties(first, second),
    ...requiredField([...namesIn(first['required']), ...namesIn(second['required'])]),
  };
}

/**
 * One schema in the place of alternatives: of objects, one with the properties of all, which needs what all of them need; of texts with
 * values of their own, one with the values of all; of others, the first.
 */
export function uniteSchemas([first = {}, ...others]: readonly SchemaNode[]): SchemaNode {
  if (others.length === 0) return first;
  const isEach = (type: string) => [first, ...others].every((one) => one['type'] === type);
  if (isEach('object')) return others.reduce(uniteObjects, first);
  if (isEach('string')) {
    const { const: _const, enum: _enum, pattern: _pattern, format: _format, ...own } = first;
    const values = [first, ...others].map(textsOf);
    return values.every((one) => one.length > 0) ? { ...own, enum: [...new Set(values.flat())] } : own;
  }
  return first;
}

function uniteObjects(first: SchemaNode, second: SchemaNode): SchemaNode {
  const { required, ...own } = first;
  const needed = new Set(namesIn(second['required']));
  return {
    ...own,
    ...bothProperties(first, second),
    ...requiredField(namesIn(required).filter((name) => needed.has(name))),
  };
}

function bothProperties(first: SchemaNode, second: SchemaNode): SchemaNode {
  const [ours, theirs] = [first['properties'], second['properties']];
  if (!isRecord(ours) && !isRecord(theirs)) return {};
  const properties: Record<string, unknown> = { ...(isRecord(theirs) ? theirs : {}) };
  for (const [name, schema] of Object.entries(isRecord(ours) ? ours : {})) {
    const other = Object.hasOwn(properties, name) ? properties[name] : undefined;
    properties[name] = isRecord(schema) && isRecord(other) ? eitherValue(schema, other) : schema;
  }
  return { properties };
}

/** A field that tells alternatives apart has the values of all of them; of any other, what the first says stands. */
function eitherValue(first: SchemaNode, second: SchemaNode): SchemaNode {
  const [ours, theirs] = [textsOf(first), textsOf(second)];
  if (ours.length === 0 || theirs.length === 0) return first;
  const { const: _const, ...own } = first;
  return { ...own, type: 'string', enum: [...new Set([...ours, ...theirs])] };
}

function textsOf(node: SchemaNode): string[] {
  const values = 'const' in node ? [node['const']] : Array.isArray(node['enum']) ? node['enum'] : [];
  return values.filter((value): value is string => typeof value === 'string');
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
}

function requiredField(names: readonly string[]): SchemaNode {
  return names.length === 0 ? {} : { required: [...new Set(names)] };
}
