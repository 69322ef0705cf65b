import { promptArgumentError, requirePromptArguments } from '@baton/agent-definitions';
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';

type GuideArguments = Readonly<Record<string, string>>;

/** A prompt for people that every tenant has: hosts show it as a command, and it says which tools to call in which order. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  /** The tool whose arguments its arguments are; they are completed as those are. */
  readonly tool: string;
  readonly text: (args: GuideArguments) => string;
}

/** No name of a tenant's workflow or prompt may hold a dot, so that none is ever one of these. */
const PREFIX = 'baton.';

const SCOPE = [
  { name: 'projectRoot', description: 'The project; `default` when it is left out', required: false },
  { name: 'tag', description: 'A tag of the project; its current one when it is left out', required: false },
];

const ANSWERING =
  'Where a reply delegates an LLM request to you, work the answer out with care: look at the code and search where the request says so, and send it with agent_llm as the reply says.';

const guides: readonly Guide[] = [
  {
    name: `${PREFIX}next_task`,
    title: 'Work on the next task',
    description: 'Takes the next task of the plan, does it, notes what was done and marks it done.',
    arguments: SCOPE,
    tool: 'next_task',
    text: (args) =>
      steps(args, [
        'Call next_task. If it gives none, tell me what the plan waits for, and stop.',
        'Call get_task for it, and read its details, its test strategy, its subtasks, and the tasks that it depends on.',
        'Look at the code that it is about. Tell me in a few sentences how you will do it, and ask me where a decision is open.',
        'Call set_task_status with in-progress, and do the work. Of a task with subtasks, do one subtask after the other.',
        `After each step note what you learned or decided, with update_subtask, or with update_task and append. ${ANSWERING}`,
        'Check the work as the test strategy says. Only when it holds, call set_task_status with done.',
        'Tell me what was done, what was checked and how, and which task next_task offers now.',
      ]),
  },
  {
    name: `${PREFIX}plan_document`,
    title: 'Plan a document',
    description:
      'Turns a document of requirements into tasks, has them read by you, and splits those that are too large.',
    arguments: [
      { name: 'document', description: 'The document, as text', required: false },
      { name: 'input', description: 'Instead: the name of a connected file of the project', required: false },
      {
        name: 'numTasks',
        description: 'About how many tasks to make; 10 when it is left out',
        required: false,
      },
      ...SCOPE,
    ],
    tool: 'parse_prd',
    text: ({ document, ...args }) => {
      if (document !== undefined && args['input'] !== undefined)
        throw promptArgumentError('input', 'give document or input, and not both');
      const source =
        document !== undefined
          ? 'Read the document below, and give it to parse_prd whole, as prd.'
          : args['input'] !== undefined
            ? 'Call parse_prd; it reads the connected file.'
            : 'Ask me for the document: its text, or where you find it. Read it, and give it to parse_prd whole, as prd.';
      const text = steps(args, [
        'Call initialize_project if the project is new, with the tech stack, the requirements and the rules that hold for all of it; ask me for what you cannot find.',
        `${source} ${ANSWERING}`,
        'Show me the tasks in order, each with a sentence, and what the document leaves open. Ask me what is wrong or missing, and correct it with update_task, add_task or remove_task.',
        'Call analyze_project_complexity, and show me which tasks are to be split and why.',
        'When I agree, split them with expand_all, or one by one with expand_task.',
        'Call validate_dependencies, and tell me which task next_task offers first.',
      ]);
      return document === undefined ? text : `${text}\n\nThe document:\n\n${document}`;
    },
  },
  {
    name: `${PREFIX}review_plan`,
    title: 'Review the plan',
    description:
      'Reads the whole plan against the code and says what is stale, missing, too large or in the wrong order.',
    arguments: SCOPE,
    tool: 'get_tasks',
    text: (args) =>
      steps(args, [
        'Call get_tasks with withSubtasks, and complexity_report where there is one. Read the rules and the status of the project.',
        'Look at the code: find out which tasks are done in truth, which are under way, and which the code has made needless.',
        'Call validate_dependencies, and look for tasks that wait for the wrong ones or for nothing.',
        'Look for what is missing between the requirements and the tasks, and for tasks that are too large, say the same twice, or have no test strategy.',
        'Show me what you found, the most important first, each with the task that it is about and the call that would mend it. Change nothing yet.',
        `When I agree, make those calls: set_task_status, update, update_task, add_task, expand_task, add_dependency, remove_task. ${ANSWERING}`,
      ]),
  },
];

/** Numbered steps, under the arguments that all of their calls take. */
function steps(args: GuideArguments, lines: readonly string[]): string {
  const numbered = lines.map((line, at) => `${at + 1}. ${line}`).join('\n');
  if (Object.keys(args).length === 0) return `Go through these steps with Baton's tools:\n\n${numbered}`;
  return `Go through these steps with Baton's tools. Give ${JSON.stringify(args)} to each tool that takes such arguments:\n\n${numbered}`;
}

const byName: ReadonlyMap<string, Guide> = new Map(guides.map((guide) => [guide.name, guide]));

/** The names of the guides. */
export const guideNames: readonly string[] = [...byName.keys()];

export function findGuide(name: string): Guide | undefined {
  return byName.get(name);
}

/** A guide as prompts/list shows it. */
export function guideListing({ name, title, description, arguments: args }: Guide): Prompt {
  return { name, title, description, arguments: [...args] };
}

/** A guide with its arguments filled in, as one message of the user. Errors: `invalid_arguments` naming the argument. */
export function renderGuide(guide: Guide, args: GuideArguments): GetPromptResult {
  requirePromptArguments(guide, args);
  // Hosts fill in what a person leaves blank.
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value.trim() !== ''));
  return {
    description: guide.description,
    messages: [{ role: 'user', content: { type: 'text', text: guide.text(given) } }],
  };
}
