import {
  answerParserOf,
  coercePromptArguments,
  fillTemplate,
  readPromptDefinition,
  namesIn,
  parserArgsSchema,
  type PromptDefinition,
  promptNameSchema,
  renderPrompt,
  requestHintsOf,
} from '@baton/agent-definitions';
import { type FunctionCall, type Handlers, type Program, runAgentCall } from '@baton/engine';
import { isRecord, type JsonObject, type Message, messageSchema, withContentNamed } from '@baton/protocol';
import { z } from 'zod';
import type { Operation } from '../definition/operation.ts';
import { integerOrDigits } from '../schema/coercion.ts';
import { definedFields } from '../schema/defined-fields.ts';
import { agentCallFields, agentCallResult } from './agent-result.ts';
import {
  callerFunctionParser,
  callerTools,
  callingTurn,
  callsMadeIn,
  findDialogProblem,
  type PromptAnswer,
  withHandledResults,
  withPlainResults,
} from './caller-functions.ts';
import { CONTENT_DESCRIPTION, messageBlocksSchema, userMessage } from './message-content.ts';
import { promptFunctions } from './prompt-functions.ts';

type Values = Readonly<Record<string, string>>;

const input = z.strictObject({
  name: promptNameSchema.describe('The prompt'),
  version: integerOrDigits(z.int().min(1)).optional().describe('By default the newest'),
  args: z
    .preprocess(
      (given) => (isRecord(given) ? coercePromptArguments(given) : given),
      z.record(z.string().max(100), z.string().max(100_000)),
    )
    .optional()
    .describe("The prompt's arguments by name"),
  content: messageBlocksSchema
    .optional()
    .describe(`${CONTENT_DESCRIPTION}. They stand behind the prompt's text`),
  parserArgs: parserArgsSchema
    .optional()
    .describe("What this call changes of the prompt's tags: `required`, `optional`, by name"),
  messages: z
    .array(messageSchema)
    .max(200)
    .superRefine((messages, context) => {
      const problem = findDialogProblem(messages as readonly Message[]);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .optional()
    .describe(
      "Goes on after toolCalls: what stands behind the prompt's own messages, `continueWith` of the result and a tool message for each call",
    ),
});
type Input = z.infer<typeof input>;

const result = z.looseObject({
  prompt: z.string(),
  version: z.int(),
  toolCalls: z
    .array(z.looseObject({ id: z.string(), name: z.string(), arguments: z.unknown() }))
    .optional()
    .describe("Calls of the caller's functions, instead of an answer"),
  continueWith: z
    .array(z.unknown())
    .optional()
    .describe('With toolCalls: `messages` of the next call, before the tool messages'),
  ...agentCallFields,
});

/** A prompt of the tenant with its arguments filled in, asked until its parser can read the answer. */
export const callPromptOperation: Operation<Input, z.infer<typeof result>> = {
  name: 'call_prompt',
  version: 1,
  title: 'Call a prompt',
  category: 'prompts',
  description:
    'Asks one of the prompts of the tenant with arguments, and returns what its parser makes of the answer. ' +
    'Answers that do not parse are asked for again; the functions that the prompt names are run for the model.',
  input,
  result,
  // What its functions may do, such as remove_task.
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },

  run: askPrompt,

  summarize: ({ response }) => (typeof response === 'string' ? response : JSON.stringify(response)),
};

function* askPrompt({
  name,
  version,
  args = {},
  content,
  parserArgs,
  messages: continued = [],
}: Input): Program<JsonObject> {
  const prompt = yield* readPromptDefinition(name, version);
  const own = renderPrompt(prompt, args, 'args').map(
    (message): Message => (message.role === 'user' ? userMessage(message.content, content) : message),
  );
  const { run: functions, callers } = yield* promptFunctions(prompt);
  const handlers = handlersOf(prompt, args);
  const sent = continued as readonly Message[];
  // A computer is the caller's, as its functions are.
  const hinted = prompt.hints?.computerUse === undefined ? [] : ['computer'];
  const made = callsMadeIn(sent, new Set([...callers.map((one) => one.name), ...hinted]));
  const parser = callerFunctionParser(answerParserOf(prompt.parser, parserArgs), callers, made, hinted);
  const messages = [...own, ...withHandledResults(sent, made, handlers)];
  const outcome = yield* runAgentCall<PromptAnswer>({
    role: prompt.role,
    modelId: prompt.model,
    messages,
    summary: `Prompt ${name}`,
    maxTokens: prompt.maxTokens,
    temperature: prompt.temperature,
    chosenBy: 'definition',
    parameters: {
      ...(callers.length === 0 ? {} : { tools: callerTools(callers) }),
      ...(prompt.hints === undefined ? {} : { hints: requestHintsOf(prompt.hints) as unknown as JsonObject }),
    },
    parser,
    handlers,
    // What is left out keeps its default.
    budgets: definedFields(prompt.budgets ?? {}),
    ...(functions === undefined ? {} : { functions, earlierCalls: made }),
  });
  const { value } = outcome;
  const ended = agentCallResult(outcome, `prompt:${name}@${prompt.version}`, messages);
  const functionCalls = [...made, ...ended.functionCalls];
  const end = { prompt: name, version: prompt.version, ...ended, functionCalls };
  if (value.calls === undefined) return { ...end, response: value.response } as unknown as JsonObject;
  const ran = outcome.added.slice(0, -1);
  const before = [...sent, ...ran];
  const { turn, calls: toolCalls } = callingTurn(value, outcome.content, before);
  const { top_prompt } = ended.dialog;
  const handed = {
    toolCalls,
    continueWith: [...sent, ...withPlainResults(ran, outcome.trace, handlers), turn],
    dialog: { top_prompt, messages: [...messages, ...ran, turn].map(withContentNamed) },
  };
  return { ...end, ...handed, response: null } as unknown as JsonObject;
}

/** What the prompt says after an answer that does not parse, and as the result of a function; the rest of the call stays. */
function handlersOf(
  { exceptionHandler, interruptHandler }: Pick<PromptDefinition, 'exceptionHandler' | 'interruptHandler'>,
  args: Values,
): Handlers {
  const say = (template: string, more: Values): Message[] => [
    { role: 'user', content: fillTemplate(template, { ...args, ...more }) },
  ];
  return {
    ...(exceptionHandler === undefined
      ? {}
      : { exception: (error_message: string) => say(exceptionHandler, { error_message }) }),
    ...(interruptHandler === undefined
      ? {}
      : {
          interrupt: ({ name, result_str }: FunctionCall) => {
            const said = fillTemplate(interruptHandler, { ...args, call_results: `${name}: ${result_str}` });
            // The tool message is the only one that has the result.
            return namesIn(interruptHandler).includes('call_results') ? said : `${result_str}\n\n${said}`;
          },
        }),
  };
}
