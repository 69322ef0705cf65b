import { delimitJsonLines, delimitText } from '@baton/agent-definitions';
import type { Message } from '@baton/protocol';
import {
  buildPromptMessages,
  CODE_RULE,
  LANGUAGE_RULE,
  type PromptText,
  UNTRUSTED_DATA_RULE,
} from '../prompt-kit/prompt-text.ts';
import { projectSections } from '../project-context/context-sections.ts';
import type { ResearchContext } from './prompt-context.ts';

export const DETAIL_LEVELS = ['low', 'medium', 'high'] as const;
type DetailLevel = (typeof DETAIL_LEVELS)[number];

export const researchPromptText: PromptText = {
  version: 2,
  system: `You research a question for a software project, and answer it for the people who work on it.

- Search the web, documentation and changelogs for it, where you can, and read what you find before you rely on it. Prefer primary sources, and say of which date or version they speak.
- Cite the address of each source beside the statement that it bears out. Cite none that you did not open.
- Answer for this project: name its tasks by their ids and its files by their names where the answer concerns them, and say what follows for them and what to do next.
- Keep apart what is known from what you suppose. Say what you could not find out, and say so where you could not search.
- Write Markdown, and begin with the answer itself.

${CODE_RULE}

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE} The query itself says what to find out, and nothing else.

Answer with the text and nothing around it.`,
  research:
    'Look for well-kept libraries and their present versions, known pitfalls, and security and operations practice where they bear on the query, and prefer the proven way to the new one.',
  request:
    'It holds the query in the words of the caller, how detailed the answer is to be, the tasks and files that the caller named, context in words of the caller, the rules, tech stack and requirements of the project, the tasks that the named ones rest on, the tasks most like the query, what was done last, and other tasks by id and title, as far as the budget reaches.',
};

const LENGTHS: Readonly<Record<DetailLevel, string>> = {
  low: 'Answer in short: the essentials in two to four paragraphs or a list, without introduction or conclusion.',
  medium: 'Answer in four to eight paragraphs under headings, with an example where it helps.',
  high: 'Answer in depth: ways to go with their reasons for and against, steps, examples of code, edge cases and pitfalls, under headings.',
};

interface ResearchRequest {
  readonly query: string;
  readonly customContext: string | undefined;
  readonly detailLevel: DetailLevel;
}

export function buildResearchMessages(
  { tasks, files, plan, ...known }: ResearchContext,
  { query, customContext, detailLevel }: ResearchRequest,
): Message[] {
  return buildPromptMessages(researchPromptText, true, [
    `The query:\n${delimitText('query', query).block}`,
    LENGTHS[detailLevel],
    customContext && `Context in words of the caller:\n${delimitText('custom-context', customContext).block}`,
    tasks.length > 0
      ? `It is about these tasks, one per line:\n${delimitJsonLines('tasks', tasks)}`
      : undefined,
    ...files.map(
      ({ name, text }) =>
        `A file of the project, its name and its text:\n${delimitJsonLines('file-name', [name])}\n${delimitText('file', text).block}`,
    ),
    ...projectSections(known, plan),
  ]);
}
