import { BatonError } from '@baton/protocol';
import type { PromptText } from '../prompt-kit/prompt-text.ts';
import { functionTools } from '../tools/function-tools.ts';
import { agentOperations } from './operation-catalog.ts';
import { toolOperations } from '../tool-operations/tool-operations.ts';

/** What there is to read of a tool for people: what it does, what its result says, what may come next. */
export interface ToolText {
  /** The tool. */
  readonly operation: string;
  readonly title: string;
  readonly description: string;
  readonly nextSteps: readonly string[];
  /** The fixed part of the prompt of an operation that has an LLM work. */
  readonly promptText?: PromptText;
  /** One sentence about a result; undefined for what is no result of the tool. */
  summarize(result: unknown): string | undefined;
}

/** Texts under a name of their own; seed 5 names this one. */
const NAMED_TEXTS: ReadonlyMap<string, string> = new Map([['init-success', 'initialize_project']]);

/** Started by the tools of their agents, whose texts are the agents' own. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['ask_agent']);

const texts: ReadonlyMap<string, ToolText> = new Map(
  [
    ...toolOperations.values(),
    ...[...agentOperations.values()].filter(({ name }) => !WITHOUT_TEXT.has(name)),
    ...functionTools,
  ].map((tool) => [tool.name, textOf(tool)]),
);

function textOf(tool: TextSource): ToolText {
  const { name, title, description, nextSteps = [], promptText } = tool;
  return {
    operation: name,
    title,
    description,
    nextSteps,
    ...(promptText === undefined ? {} : { promptText }),
    summarize(result) {
      // A sentence that needs the arguments of its call too cannot be made of a result.
      if (tool.summarize.length > 1) return undefined;
      const parsed = tool.result.safeParse(result);
      return parsed.success ? tool.summarize(parsed.data as never, {} as never) : undefined;
    },
  };
}

type TextSource = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly nextSteps?: readonly string[];
  readonly promptText?: PromptText;
  readonly result: { safeParse(value: unknown): { success: boolean; data?: unknown } };
  summarize(result: never, input: never): string;
};

/** The names of the texts: every tool that has one, and those with a name of their own. */
export const promptNames: readonly string[] = [...texts.keys(), ...NAMED_TEXTS.keys()];

/** @throws BatonError `invalid_arguments`, naming the texts that there are. */
export function requireToolText(name: string): ToolText {
  const text = texts.get(NAMED_TEXTS.get(name) ?? name);
  if (text !== undefined) return text;
  const known = promptNames.join(', ');
  throw new BatonError(
    'invalid_arguments',
    `operation: '${name.slice(0, 80)}' has no prompt; these have: ${known}.`,
    { field: 'operation' },
  );
}

/** What `baton://prompts/{operation}` shows, as Markdown. @throws BatonError as `requireToolText`. */
export function promptMarkdown(name: string): string {
  const { operation, title, description, nextSteps, promptText } = requireToolText(name);
  const version = promptText === undefined ? '' : `, prompt version ${promptText.version}`;
  return [
    `# ${title} (\`${operation}\`${version})`,
    description,
    ...(promptText === undefined
      ? []
      : [
          '## What the LLM is told',
          promptText.system,
          '## What is said beside with `research`',
          promptText.research,
          '## What the request holds',
          promptText.request,
        ]),
    ...nextStepsSection(nextSteps),
    '',
  ].join('\n\n');
}

/** Nothing where nothing is known to come next. */
export function nextStepsSection(steps: readonly string[]): string[] {
  return steps.length === 0 ? [] : ['## What may come next', steps.map((step) => `- ${step}`).join('\n')];
}
