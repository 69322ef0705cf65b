import type { ToolHints } from '@baton/operations';
import { toJsonSchema } from '@baton/engine';
import { BatonError, type JsonObject, type Scope } from '@baton/protocol';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Call } from '../call/call.ts';

/** What a tool gives back: structured data that fits its output schema, and a sentence for those who read text. */
export interface ToolReply {
  readonly text: string;
  readonly structured: object;
  /** The task that the reply is about, for the 2025 revisions' related-task metadata. */
  readonly taskId?: string | undefined;
  /** True when the structured data belongs into the text too: the reply asks something of a client that reads only text. */
  readonly textIncludesJson?: boolean;
  /** What an agent's answer brought besides words; it stands behind the text. */
  readonly blocks?: readonly ContentBlock[];
}

/** A tool as MCP lists it, and what it does. One per file. */
export interface Tool {
  readonly name: string;
  readonly need: readonly Scope[];
  readonly listing: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: { type: 'object'; [key: string]: unknown };
    readonly outputSchema: { type: 'object'; [key: string]: unknown };
    readonly annotations: ToolHints & { readonly title: string };
  };
  call(args: unknown, call: Call, meta: RequestMeta): Promise<ToolReply>;
}

/** A request's `_meta`, as it came. */
export type RequestMeta = Readonly<Record<string, unknown>>;

export interface ToolSpec<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly need?: readonly Scope[];
  readonly input: z.ZodType<Input>;
  /** What its result may be; the shape of an error is added, since clients hold errors against the schema too. */
  readonly output: readonly z.ZodType[];
  run(input: Input, call: Call, meta: RequestMeta): Promise<ToolReply>;
}

const errorSchema = z
  .strictObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })
  .describe('What went wrong (isError is true): a code, a message with the way out, and details');

export function defineTool<Input>(spec: ToolSpec<Input>): Tool {
  const { name, title, description, hints } = spec;
  return {
    name,
    need: spec.need ?? ['mcp'],
    listing: {
      name,
      title,
      description,
      inputSchema: { type: 'object', ...toJsonSchema(spec.input) },
      outputSchema: {
        type: 'object',
        oneOf: [...spec.output, errorSchema].map((shape) => describeOutput(shape)),
      },
      annotations: { title, ...hints },
    },
    call: async (args, call, meta) => spec.run(parseArguments(spec.input, args), call, meta),
  };
}

/** What is wrong with one field is told in so many characters: it may quote what was sent. */
const LONGEST = 300;

/** Errors: `invalid_arguments` naming the field and what it may be. */
export function parseArguments<T>(schema: z.ZodType<T>, args: unknown): T {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, 20)
    .map((issue) => ({ field: fieldOf(issue), problem: issue.message.slice(0, LONGEST) }));
  const told = issues
    .map(({ field, problem }) => (field === '' ? problem : `${field}: ${problem}`))
    .join('; ');
  throw new BatonError('invalid_arguments', told, { field: issues[0]?.field ?? '', issues });
}

function fieldOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return path;
  return [path, issue.keys[0]?.slice(0, LONGEST)].filter(Boolean).join('.');
}

function describeOutput(shape: z.ZodType): JsonObject {
  const { $schema: _, ...described } = z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' });
  return described as JsonObject;
}
