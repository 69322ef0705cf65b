import type { ChangedResource, ToolCategory, ToolHints } from '@baton/operations';
import { toJsonSchema } from '@baton/engine';
import { BatonError, loneSurrogatePath, type JsonObject } from '@baton/protocol';
import { z } from 'zod';
import { deferAdmission, admitCall } from '../call/access.ts';
import type {
  Access,
  AdmittedCall,
  ArgumentProblem,
  Call,
  RequestMeta,
  StartedTask,
  Tool,
  UnadmittedCall,
} from '../call/call.ts';
import type { ToolReply } from '../call/tool-reply.ts';
import { type ObjectSchema, toListedInput, toListedOutput } from '../tool-listing/listed-schema.ts';
import { toolMetadata } from '../tool-listing/tool-metadata.ts';
import { readLeniently } from '../argument-leniency/read-leniently.ts';
import { unknownFieldHint } from '../argument-hints/unknown-field-hint.ts';

/** What every tool says of itself. `Access` decides how its caller is admitted, and so what `run` is given. */
interface ToolSpec<Input, DeclaredAccess extends Access, RunCall extends Call> {
  readonly name: string;
  readonly title: string;
  readonly category: ToolCategory;
  readonly changes?: readonly ChangedResource[] | undefined;
  readonly description: string;
  readonly hints: ToolHints;
  /** Its results may be longer than hosts show whole by default, as those of operations are. */
  readonly isLong?: boolean;
  readonly access: DeclaredAccess;
  readonly input: z.ZodType<Input>;
  /** What its result may be; the shape of an error is added, since clients hold errors against the schema too. */
  readonly output: readonly z.ZodType[];
  run(input: Input, call: RunCall, meta: RequestMeta): Promise<ToolReply>;
}

interface ScriptAdmittedToolSpec<Input> extends ToolSpec<Input, Access<'script'>, UnadmittedCall> {
  /** The access that these arguments ask for; `access` is then that of arguments that cannot be read. */
  accessFor?(input: Input): Access<'script'>;
  /** Starts what `run` does as a task. */
  readonly startTask?: (input: Input, call: UnadmittedCall, meta: RequestMeta) => Promise<StartedTask>;
}

const errorSchema = z
  .strictObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })
  .describe('What went wrong (isError is true): a code, a message with the way out, and details');

/** A tool whose caller is admitted before its arguments are read. */
export function defineEdgeAdmittedTool<Input>(spec: ToolSpec<Input, Access<'edge'>, AdmittedCall>): Tool {
  return describeTool(spec, async (args, call, meta) => {
    const admitted = await admitCall(call, spec.access);
    return spec.run(parseLeniently(spec.input, args), admitted, meta);
  });
}

/** A tool whose first script admits its caller. Where no script ran, its caller (`callTool`, REST) sees to the admission. */
export function defineScriptAdmittedTool<Input>(spec: ScriptAdmittedToolSpec<Input>): Tool {
  const { startTask } = spec;
  const tool = describeTool(
    spec,
    async (args, call, meta) => {
      const input = parseLeniently(spec.input, args);
      return spec.run(input, deferAdmission(call, spec.accessFor?.(input) ?? spec.access), meta);
    },
    startTask === undefined ? 'forbidden' : 'optional',
  );
  if (startTask === undefined) return tool;
  return {
    ...tool,
    startTask: (args, call, meta) =>
      startTask(parseLeniently(spec.input, args), deferAdmission(call, spec.access), meta),
  };
}

type Description = Omit<ToolSpec<never, Access, never>, 'run' | 'input'> & { readonly input: z.ZodType };

function describeTool(
  spec: Description,
  call: Tool['call'],
  taskSupport: 'optional' | 'forbidden' = 'forbidden',
): Tool {
  const { name, title, category, changes = [], description, hints, access } = spec;
  const delegates = taskSupport === 'optional';
  const schemas = {
    input: { type: 'object', ...toJsonSchema(spec.input) } as const,
    output: describeReplies(spec.output),
  };
  return {
    name,
    access,
    changes,
    findProblems: (args) => findProblems(spec.input, args),
    call,
    schemas,
    listing: {
      name,
      title,
      description,
      inputSchema: toListedInput(schemas.input),
      outputSchema: toListedOutput(schemas.output),
      annotations: { title, ...hints },
      execution: { taskSupport },
      _meta: toolMetadata(category, hints, delegates, spec.isLong ?? delegates),
    },
  };
}

/** A field's problem is cut to this length: it may quote what was sent. */
const MAX_PROBLEM_LENGTH = 300;

/** Arguments as callers and models write them. Errors: `invalid_arguments`, as parseToolArguments. */
function parseLeniently<T>(schema: z.ZodType<T>, args: unknown): T {
  return parseToolArguments(schema, readLeniently(args, toJsonSchema(schema)));
}

/** Errors: `invalid_arguments` naming the field and what it may be. */
export function parseToolArguments<T>(schema: z.ZodType<T>, args: unknown): T {
  const parsed = schema.safeParse(args ?? {});
  const half = parsed.success ? loneSurrogatePath(args) : undefined;
  if (parsed.success && half === undefined) return parsed.data;
  const issues = parsed.success ? [loneSurrogateProblem(half ?? [])] : problemsIn(parsed.error, schema, args);
  const message = issues
    .map(({ field, problem }) => (field === '' ? problem : `${field}: ${problem}`))
    .join('; ');
  throw new BatonError('invalid_arguments', message, { field: issues[0]?.field ?? '', issues });
}

function loneSurrogateProblem(path: readonly string[]): ArgumentProblem {
  const problem = 'holds half of a surrogate pair: cut texts between characters, never within one';
  return { field: path.join('.').slice(0, 200).toWellFormed(), problem };
}

function findProblems(schema: z.ZodType, args: unknown): ArgumentProblem[] {
  const read = readLeniently(args, toJsonSchema(schema));
  const parsed = schema.safeParse(read);
  return parsed.success ? [] : problemsIn(parsed.error, schema, read);
}

function problemsIn(error: z.ZodError, schema: z.ZodType, sent: unknown): ArgumentProblem[] {
  return error.issues.slice(0, 20).map((issue) => ({
    field: fieldOf(issue),
    problem:
      issue.message.slice(0, MAX_PROBLEM_LENGTH) +
      givenValue(issue, sent) +
      textHint(issue) +
      unknownFieldHint(issue, schema, sent),
  }));
}

const MAX_SHOWN_VALUE = 60;
const SECRET_FIELD = /key|secret|token|password/i;

/** The short value that is not one of those that may be given, or not of the form; a secret is never repeated. */
function givenValue({ code, path }: z.core.$ZodIssue, sent: unknown): string {
  if (code !== 'invalid_value' && code !== 'custom') return '';
  if (path.some((step) => SECRET_FIELD.test(String(step)))) return '';
  const value = path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined,
    sent,
  );
  if (typeof value !== 'string' || value === '' || value.length > MAX_SHOWN_VALUE) return '';
  return ` (given: ${JSON.stringify(value)})`;
}

/** A number is not read as a text where it may have lost a digit: 1.10 is 1.1. */
function textHint(issue: z.core.$ZodIssue): string {
  return issue.message.endsWith('expected string, received number') ? '; write it as text, in quotes' : '';
}

function fieldOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return path;
  return [path, issue.keys[0]?.slice(0, MAX_PROBLEM_LENGTH)].filter(Boolean).join('.');
}

/** The output schema of a tool with these replies, an error being one more. */
export function describeReplies(replies: readonly z.ZodType[]): ObjectSchema {
  return { type: 'object', oneOf: [...replies, errorSchema].map((shape) => describeOutput(shape)) };
}

function describeOutput(shape: z.ZodType): JsonObject {
  const { $schema: _, ...described } = z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' });
  return described as JsonObject;
}
