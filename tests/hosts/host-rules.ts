import { type AnyJson } from '../harness/mcp-client.ts';

/** A place in a tool's input schema; the root has the path ''. */
export interface SchemaPlace {
  readonly path: string;
  readonly schema: AnyJson;
  /** How many objects and arrays it is in. */
  readonly depth: number;
}

/** A tool as a host passes it on, and every place of its input schema. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly places: readonly SchemaPlace[];
}

/** What a host or the API behind it says of tools, and where it says so. `breaches` names what breaks it. */
export interface HostRule {
  readonly host: string;
  readonly page: string;
  readonly says: string;
  readonly breaches: (tool: ListedTool) => readonly string[];
}

const where = (holds: (place: SchemaPlace) => boolean) => (tool: ListedTool) =>
  tool.places.filter((place) => !holds(place)).map(({ path }) => path);
const ofTool = (holds: (tool: ListedTool) => boolean) => (tool: ListedTool) =>
  holds(tool) ? [] : [tool.name];
const ofRoot = (holds: (schema: AnyJson) => boolean) =>
  where(({ path, schema }) => path !== '' || holds(schema));
const hasNone = (keywords: readonly string[]) => (schema: AnyJson) =>
  keywords.every((keyword) => !(keyword in schema));
const namesOf = ({ schema }: SchemaPlace) => Object.keys(schema.properties ?? {});

const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not'];
/** The fields of Gemini's `Schema`. */
const GEMINI_FIELDS: ReadonlySet<string> = new Set(
  (
    'type format title description nullable enum maxItems minItems properties required minProperties maxProperties ' +
    'minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'
  ).split(' '),
);
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

const GEMINI = 'https://ai.google.dev/api/caching#Schema';
const VERTEX =
  'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder';
const OPENAI = 'https://platform.openai.com/docs/guides/structured-outputs';
const OPENAI_CHAT = 'https://platform.openai.com/docs/api-reference/chat/create';
const ANTHROPIC = 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools';
const CLAUDE_CODE = 'https://github.com/anthropics/claude-code/issues/92900';
const CURSOR = 'https://github.com/code-yeongyu/senpi/issues/952';
const CURSOR_TYPES = 'https://github.com/cursor/cursor/issues/3778';
const VS_CODE = 'https://github.com/microsoft/vscode/issues/246119';
const COPILOT = 'https://github.com/github/copilot-cli/issues/1825';
const COPILOT_TYPES = 'https://github.com/github/copilot-cli/issues/4623';
const COPILOT_CHAT = 'https://github.com/zed-industries/zed/pull/30178';

export const HOST_RULES: readonly HostRule[] = [
  {
    host: 'Gemini',
    page: GEMINI,
    says: 'type is required and one of the names of types',
    breaches: where(({ schema }) => TYPES.includes(schema.type)),
  },
  {
    host: 'Gemini',
    page: GEMINI,
    says: 'a schema has no other fields than those of Schema',
    breaches: where(({ schema }) => Object.keys(schema).every((key) => GEMINI_FIELDS.has(key))),
  },
  {
    host: 'Gemini',
    page: GEMINI,
    says: 'the values of an enum are text, of type STRING',
    breaches: where(
      ({ schema }) =>
        schema.enum === undefined ||
        (schema.type === 'string' &&
          schema.enum.length > 0 &&
          schema.enum.every((value: unknown) => typeof value === 'string' && value !== '')),
    ),
  },
  {
    host: 'Gemini',
    page: GEMINI,
    says: 'an array has the schema of its elements',
    breaches: where(({ schema }) => schema.type !== 'array' || TYPES.includes(schema.items?.type)),
  },
  {
    host: 'Gemini',
    page: GEMINI,
    says: 'what is required is a property',
    breaches: where((place) =>
      (place.schema.required ?? []).every((name: string) => namesOf(place).includes(name)),
    ),
  },
  {
    host: 'Gemini',
    page: VERTEX,
    says: 'a function is named by letters, digits, underscores, dots and dashes, at most 64, a letter or underscore first',
    breaches: ofTool(({ name }) => /^[A-Za-z_][\w.-]{0,63}$/.test(name)),
  },
  {
    host: 'Gemini',
    page: VERTEX,
    says: 'a parameter is named by letters, digits and underscores, at most 64, no digit first',
    breaches: where((place) => namesOf(place).every((name) => /^[A-Za-z_]\w{0,63}$/.test(name))),
  },
  {
    host: 'OpenAI',
    page: OPENAI,
    says: 'the root is an object, and no anyOf',
    breaches: ofRoot((schema) => schema.type === 'object' && hasNone(COMBINATORS)(schema)),
  },
  {
    host: 'OpenAI',
    page: OPENAI,
    says: 'schemas nest at most ten levels',
    breaches: where(({ depth }) => depth <= 10),
  },
  {
    host: 'OpenAI',
    page: OPENAI_CHAT,
    says: 'a function is named by letters, digits, underscores and dashes, at most 64',
    breaches: ofTool(({ name }) => /^[\w-]{1,64}$/.test(name)),
  },
  {
    host: 'OpenAI',
    page: OPENAI,
    says: 'every value has a type, and no reference leads out of the schema',
    breaches: where(({ schema }) => schema.type !== undefined && hasNone(['$ref', '$defs'])(schema)),
  },
  {
    host: 'Anthropic',
    page: ANTHROPIC,
    says: 'a tool is named by letters, digits, underscores and dashes, at most 128',
    breaches: ofTool(({ name }) => /^[a-zA-Z0-9_-]{1,128}$/.test(name)),
  },
  {
    host: 'Anthropic',
    page: ANTHROPIC,
    says: 'input_schema is an object',
    breaches: ofRoot((schema) => schema.type === 'object'),
  },
  {
    host: 'Anthropic',
    page: ANTHROPIC,
    says: 'a tool is described',
    breaches: ofTool(({ description }) => description.length > 0),
  },
  {
    host: 'Cursor',
    page: CURSOR,
    says: 'no schema has anyOf, oneOf or allOf, wherever it stands',
    breaches: where(({ schema }) => hasNone(['anyOf', 'oneOf', 'allOf'])(schema)),
  },
  {
    host: 'Cursor',
    page: CURSOR_TYPES,
    says: 'type is no list',
    breaches: where(({ schema }) => !Array.isArray(schema.type)),
  },
  {
    host: 'VS Code',
    page: VS_CODE,
    says: 'an array has items',
    breaches: where(({ schema }) => schema.type !== 'array' || typeof schema.items === 'object'),
  },
  {
    host: 'Claude Code',
    page: CLAUDE_CODE,
    says: 'a schema is an object: not true, and not false',
    breaches: where(({ schema }) => typeof schema === 'object'),
  },
  {
    host: 'Copilot',
    page: COPILOT,
    says: 'the root has properties, if only none',
    breaches: ofRoot((schema) => typeof schema.properties === 'object'),
  },
  {
    host: 'Copilot',
    page: COPILOT_TYPES,
    says: 'the type of elements is no list',
    breaches: where(({ schema }) => !Array.isArray(schema.items?.type)),
  },
  {
    host: 'Copilot',
    page: COPILOT_CHAT,
    says: 'the schema of a tool is not {}',
    breaches: ofRoot((schema) => Object.keys(schema).length > 0),
  },
];

/** Every schema in a tool's input schema. */
export function placesIn(schema: AnyJson, path = '', depth = 0): SchemaPlace[] {
  const inner: (readonly [string, AnyJson])[] = [
    ...Object.entries<AnyJson>(schema?.properties ?? {}).map(
      ([name, one]) => [`${path}.${name}`, one] as const,
    ),
    ...(schema?.items === undefined ? [] : [[`${path}[]`, schema.items] as const]),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
      (schema?.[key] ?? []).map((one: AnyJson, at: number) => [`${path}|${key}${at}`, one] as const),
    ),
  ];
  return [{ path, schema, depth }, ...inner.flatMap(([at, one]) => placesIn(one, at, depth + 1))];
}
