import { isRecord } from '@baton/protocol';
import type { RequestFacts } from './request-facts.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';

type Schema = Record<string, unknown>;

/** Where in the value a part is built: its field name, and the ids of the items before it in its list. */
interface ValuePosition {
  readonly name: string;
  readonly index: number;
  readonly earlierIds: readonly number[];
  readonly depth: number;
}

const ROOT: ValuePosition = { name: '', index: 0, earlierIds: [], depth: 0 };
const OPTIONAL_RATE = 0.7;
const DEEPEST = 12;

/**
 * Builds a value that fits a JSON Schema, with the prose of `facts` as text. It knows no operation: the outermost list
 * has as many items as the request asks for, or one per id that it names; fields called `id` count up; integer lists in
 * items with ids refer to earlier ids; a status is `pending`.
 */
export function buildSchemaValue(schema: unknown, facts: RequestFacts, random: SeededRandom): unknown {
  return new SchemaValueBuilder(schema, facts, random).value(schema, ROOT);
}

class SchemaValueBuilder {
  private readonly root: unknown;
  private readonly facts: RequestFacts;
  private readonly random: SeededRandom;
  private wordsUsed = 0;

  constructor(root: unknown, facts: RequestFacts, random: SeededRandom) {
    this.root = root;
    this.facts = facts;
    this.random = random;
  }

  value(given: unknown, position: ValuePosition): unknown {
    const schema = this.resolve(given);
    if ('const' in schema) return schema['const'];
    if (position.name === 'status' && Array.isArray(schema['enum']) && schema['enum'].includes('pending'))
      return 'pending';
    if (Array.isArray(schema['enum'])) return this.random.pick(schema['enum'] as unknown[]);
    const type = typeOf(schema, this.random);
    switch (type) {
      case 'object':
        return this.object(schema, position);
      case 'array':
        return this.array(schema, position);
      case 'integer':
      case 'number':
        return this.number(schema, position, type);
      case 'boolean':
        return this.random.chance(0.5);
      case 'null':
        return null;
      default:
        return this.string(schema, position);
    }
  }

  /** Follows local references, picks one of several alternatives and merges `allOf`. */
  private resolve(given: unknown): Schema {
    if (!isRecord(given)) return {};
    const { $ref, anyOf, oneOf, allOf, ...own } = given;
    if (typeof $ref === 'string') return { ...this.resolve(this.lookUp($ref)), ...own };
    const choices = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined;
    if (choices && choices.length > 0) {
      const some = choices.filter((choice) => !(isRecord(choice) && choice['type'] === 'null'));
      const { type: _either, ...rest } = own;
      return { ...rest, ...this.resolve(some[0] ?? choices[0]) };
    }
    if (!Array.isArray(allOf)) return own;
    return allOf.map((part) => this.resolve(part)).reduce(merge, own);
  }

  private lookUp(ref: string): unknown {
    const steps = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
    const unescape = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
    return steps.reduce<unknown>((at, step) => (isRecord(at) ? at[unescape(step)] : undefined), this.root);
  }

  private object(schema: Schema, position: ValuePosition): unknown {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    const built: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(properties)) {
      const wanted = required.has(name) || (position.depth < DEEPEST && this.random.chance(OPTIONAL_RATE));
      if (wanted) built[name] = this.value(property, { ...position, name, depth: position.depth + 1 });
    }
    return built;
  }

  private array(schema: Schema, position: ValuePosition): unknown[] {
    const items = this.resolve(schema['items']);
    const least = numberOr(schema['minItems'], 0);
    const most = numberOr(schema['maxItems'], Number.POSITIVE_INFINITY);
    if (isNumeric(items) && position.earlierIds.length > 0) return this.references(position, most);
    const outermost = position.depth <= 1;
    const wanted = outermost ? (this.facts.count ?? 3 + this.random.below(5)) : this.random.below(3);
    const length = position.depth >= DEEPEST ? least : Math.min(Math.max(wanted, least), most);
    const properties = isRecord(items['properties']) ? items['properties'] : {};
    const hasIds = 'id' in properties || 'taskId' in properties;
    if (outermost && hasIds && this.facts.ids.length > 0) return this.itemsForIds(schema['items'], position);
    const first = outermost ? this.facts.firstId : 1;
    return Array.from({ length }, (_, index) =>
      this.value(schema['items'], {
        name: singular(position.name),
        index: first + index,
        earlierIds: hasIds ? Array.from({ length: index }, (_none, before) => first + before) : [],
        depth: position.depth + 1,
      }),
    );
  }

  /** One item for each id that the request names. */
  private itemsForIds(items: unknown, position: ValuePosition): unknown[] {
    const { ids } = this.facts;
    return ids.map((id, at) =>
      this.value(items, {
        name: singular(position.name),
        index: id,
        earlierIds: ids.slice(0, at),
        depth: position.depth + 1,
      }),
    );
  }

  /** Some of the earlier ids, without duplicates. */
  private references({ earlierIds }: ValuePosition, most: number): number[] {
    const length = Math.min(this.random.below(3), earlierIds.length, most);
    return [...new Set(Array.from({ length }, () => this.random.pick(earlierIds)))].sort((a, b) => a - b);
  }

  private number(schema: Schema, { name, index }: ValuePosition, type: 'integer' | 'number'): number {
    const least = numberOr(schema['minimum'], numberOr(schema['exclusiveMinimum'], -1) + 1);
    const most = Math.min(
      numberOr(schema['maximum'], numberOr(schema['exclusiveMaximum'], 1e9) - 1),
      least + 100,
    );
    if (/^(task)?id$/i.test(name)) return Math.max(index, least);
    const value = least + this.random.next() * (most - least);
    return type === 'integer' ? Math.min(Math.ceil(value), most) : value;
  }

  private string(schema: Schema, position: ValuePosition): string {
    if (schema['format'] === 'date-time') return '2026-01-01T00:00:00.000Z';
    if (/^id$/i.test(position.name)) return String(position.index);
    const least = numberOr(schema['minLength'], 0);
    const most = numberOr(schema['maxLength'], Number.POSITIVE_INFINITY);
    const text = /title|name|heading|label/i.test(position.name) ? this.title(position) : this.sentence();
    return text.slice(0, most).padEnd(least, '.');
  }

  private title({ index, depth }: ValuePosition): string {
    const { headings, sentences } = this.facts;
    const all = [...headings, ...sentences.map((sentence) => sentence.slice(0, 80))];
    const at = depth <= 2 && index > 0 ? index - this.facts.firstId : this.wordsUsed++;
    return all[Math.abs(at) % all.length] ?? 'Untitled';
  }

  private sentence(): string {
    const { sentences } = this.facts;
    return sentences[(this.wordsUsed++ + this.random.below(3)) % sentences.length] ?? 'Nothing was said.';
  }
}

function typeOf(schema: Schema, random: SeededRandom): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(random.pick(type.filter((one) => one !== 'null')));
  if ('properties' in schema) return 'object';
  return 'items' in schema ? 'array' : 'string';
}

function merge(a: Schema, b: Schema): Schema {
  return {
    ...a,
    ...b,
    properties: { ...(a['properties'] as Schema), ...(b['properties'] as Schema) },
    required: [...((a['required'] as unknown[]) ?? []), ...((b['required'] as unknown[]) ?? [])],
  };
}

function isNumeric({ type }: Schema): boolean {
  return type === 'integer' || type === 'number' || (Array.isArray(type) && type.includes('integer'));
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}
