import type { ChangedResource, ToolCategory, ToolHints } from '@baton/operations';
import { BatonError, type JsonObject, loneSurrogatePath, problemsIn, toJsonSchema } from '@baton/protocol';
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

/** The output schema of a tool with these replies, an error being one more. */
export function describeReplies(replies: readonly z.ZodType[]): ObjectSchema {
  return { type: 'object', oneOf: [...replies, errorSchema].map((shape) => describeOutput(shape)) };
}

function describeOutput(shape: z.ZodType): JsonObject {
  const { $schema: _, ...described } = z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' });
  return described as JsonObject;
}
