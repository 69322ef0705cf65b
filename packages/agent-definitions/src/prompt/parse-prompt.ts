import {
  type DefinitionProblem,
  problemsIn,
  refusalOf,
  refuseProblems,
  RESERVED_NAMES,
} from '@baton/protocol';
import { type CallerFunction, type PromptInput, promptSchema } from './prompt.ts';
import { requestHintsOf } from './request-hints.ts';
import { escapedNamesIn, namesIn } from './template.ts';

/** The value that a handler has beside the prompt's arguments. */
export const HANDLER_VALUES = {
  exceptionHandler: 'error_message',
  interruptHandler: 'call_results',
} as const;

/** The fields that may name arguments. */
const TEMPLATES = ['text', 'system', 'exceptionHandler', 'interruptHandler'] as const;

/** What a prompt is held against: the tools there are, `agent_<id>` aside, whose agents may come later. */
export interface PromptSurroundings {
  /** Whether calls of the tool are run as a part of the prompt's own call. */
  readonly isRunByBaton: (name: string) => boolean;
  /** Any other tool, as a function that the caller runs. */
  readonly describeTool: (name: string) => CallerFunction | undefined;
}

/**
 * A prompt as it was sent, with all defaults; a tool that its caller runs has its description and parameters beside its name. Errors: `invalid_arguments` naming the fields.
 */
export function parsePrompt(sent: unknown, around: PromptSurroundings): PromptInput {
  const parsed = promptSchema.safeParse(sent);
  if (!parsed.success) throw refusalOf(problemsIn(parsed.error, promptSchema, sent));
  const { data } = parsed;
  const used = [data.text, data.system ?? ''].flatMap(namesIn);
  const derived = [...new Set(used)].map((name) => ({ name, required: true }));
  const functions = data.functions.map((one) =>
    typeof one === 'string' && !around.isRunByBaton(one) ? (around.describeTool(one) ?? one) : one,
  );
  const prompt: PromptInput = { ...data, functions, arguments: data.arguments ?? derived };
  refuseProblems([
    ...findArgumentProblems(prompt),
    ...findTagProblems(prompt),
    ...findFunctionProblems(prompt, around),
    ...findHintProblems(prompt),
  ]);
  return prompt;
}

function findArgumentProblems(prompt: PromptInput): DefinitionProblem[] {
  const names = prompt.arguments.map(({ name }) => name);
  const repeated = names.flatMap((name, at) =>
    names.indexOf(name) < at
      ? [{ field: `arguments.${at}.name`, problem: `there are two arguments '${name}'` }]
      : [],
  );
  const reserved = names.flatMap((name, at) => {
    const field = `arguments.${at}.name`;
    if (RESERVED_NAMES.has(name)) return [{ field, problem: `'${name}' is a reserved name` }];
    return name === 'error_message' || name === 'call_results'
      ? [{ field, problem: `'${name}' is a value of handlers` }]
      : [];
  });
  const known = new Set<string>(names);
  const undeclared = TEMPLATES.flatMap((field) => {
    const own = field === 'text' || field === 'system' ? undefined : HANDLER_VALUES[field];
    return namesIn(prompt[field] ?? '')
      .filter((name) => !known.has(name) && name !== own)
      .map((name) => ({
        field,
        problem: `there is no argument '${name}'; write {{${name}}} for the text {${name}}`,
      }));
  });
  // An argument that is nowhere else can only be meant by the text of its name.
  const used = new Set(TEMPLATES.flatMap((field) => namesIn(prompt[field] ?? '')));
  const doubled = TEMPLATES.flatMap((field) =>
    escapedNamesIn(prompt[field] ?? '')
      .filter((name) => known.has(name) && !used.has(name))
      .map((name) => ({
        field,
        problem: `'{{${name}}}' stands for the text '{${name}}'; write {${name}} for the argument`,
      })),
  );
  return [...repeated, ...reserved, ...undeclared, ...doubled];
}

function findTagProblems({ parser }: PromptInput): DefinitionProblem[] {
  if (parser.type !== 'xml' && parser.type !== 'md') return [];
  const names = parser.tags.map(({ name }) => name);
  return parser.tags.flatMap((tag, at): DefinitionProblem[] => {
    const field = `parser.tags.${at}`;
    if (names.indexOf(tag.name) < at)
      return [{ field: `${field}.name`, problem: `there are two tags '${tag.name}'` }];
    if (tag.signal && tag.many)
      return [{ field: `${field}.many`, problem: 'a signal is there or not, never many' }];
    return [];
  });
}

function findFunctionProblems(
  { functions }: PromptInput,
  { isRunByBaton, describeTool }: PromptSurroundings,
): DefinitionProblem[] {
  const isAgent = (name: string) =>
    /^agent_[a-z][a-z0-9_]{0,47}$/.test(name) && describeTool(name) === undefined;
  const names = functions.map((one) => (typeof one === 'string' ? one : one.name));
  return functions.flatMap((one, at): DefinitionProblem[] => {
    const field = `functions.${at}`;
    const name = names[at] ?? '';
    if (names.indexOf(name) < at) return [{ field, problem: `there are two functions '${name}'` }];
    if (typeof one === 'string') {
      if (isRunByBaton(one) || isAgent(one)) return [];
      return [{ field, problem: `there is no tool '${one}'; give a function of your own its parameters` }];
    }
    if (isRunByBaton(name) || isAgent(name))
      return [{ field: `${field}.name`, problem: `'${name}' is a tool of Baton: give its name alone` }];
    return [];
  });
}

/** What a prompt needs must be possible in the shape that it asks for. */
function findHintProblems({ hints }: PromptInput): DefinitionProblem[] {
  if (hints?.api !== 'chat.completions') return [];
  const { unsupported = [] } = requestHintsOf(hints).chatCompletions;
  return unsupported.map((name) => ({
    field: `hints.${name}`,
    problem: "chat completions have no such tool; say hints.api 'responses', or leave it out",
  }));
}
