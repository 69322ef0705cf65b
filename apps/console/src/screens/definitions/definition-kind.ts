import { countText } from '../../components/count-text.ts';
import { plainText } from '../../components/plain-text.ts';

/** A definition as lists show it, with what each kind adds. */
export interface DefinitionSummary {
  readonly id?: string;
  readonly name: string;
  readonly version: number;
  readonly storedAt: string;
  readonly storedBy: string;
  readonly description?: string;
  /** Of agents. */
  readonly enabled?: boolean;
  readonly isPrimary?: boolean;
  readonly model?: string;
  /** Of workflows: how many. */
  readonly steps?: number;
  /** Of prompts: whether it is a prompt of MCP too. */
  readonly public?: boolean;
}

/** One version of a definition. */
export interface DefinitionVersion {
  readonly version: number;
  readonly storedAt: string;
  readonly storedBy: string;
  readonly definition: Readonly<Record<string, unknown>>;
  /** Of workflows: tasks that go on with it. */
  readonly tasks?: readonly string[];
}

/** What a tenant defines, and how one is tried: a POST of arguments. */
export interface DefinitionKind {
  readonly plural: 'agents' | 'workflows' | 'prompts';
  readonly singular: string;
  readonly title: string;
  readonly new: Readonly<Record<string, unknown>>;
  readonly keyOf: (one: Pick<DefinitionSummary, 'id' | 'name'>) => string;
  readonly testCall: (version: DefinitionVersion, key: string) => TestCall;
}

export interface TestCall {
  readonly path: string;
  readonly arguments: unknown;
  /** The body of the request with arguments as they were typed. */
  readonly bodyOf: (args: unknown) => unknown;
}

export const AGENTS: DefinitionKind = {
  plural: 'agents',
  singular: 'agent',
  title: 'Agents',
  new: { id: 'helper', name: 'Helper', instructions: 'You help.' },
  keyOf: ({ id, name }) => id ?? name,
  testCall: ({ definition }, id) =>
    definition['isPrimary'] === true
      ? { path: '/tools/ask_assistant', arguments: { message: '' }, bodyOf: (args) => args }
      : {
          path: `/tools/agent_${id}`,
          arguments: exampleOf(definition['parameters']) ?? { task: '' },
          bodyOf: (args) => args,
        },
};

export const WORKFLOWS: DefinitionKind = {
  plural: 'workflows',
  singular: 'workflow',
  title: 'Workflows',
  new: { name: 'next', description: 'see what is next', steps: [{ name: 'next', tool: 'next_task' }] },
  keyOf: ({ name }) => name,
  testCall: ({ definition }, name) => ({
    path: `/prompts/${encodeURIComponent(name)}`,
    arguments: argumentsOf(definition),
    bodyOf: (args) => args,
  }),
};

export const PROMPTS: DefinitionKind = {
  plural: 'prompts',
  singular: 'prompt',
  title: 'Prompts',
  new: { name: 'summarize', text: 'Summarize this in {sentences} sentences: {text}' },
  keyOf: ({ name }) => name,
  testCall: ({ definition }, name) => ({
    path: '/tools/call_prompt',
    arguments: argumentsOf(definition),
    bodyOf: (args) => ({ name, args }),
  }),
};

/** The arguments that a definition declares, each empty. */
function argumentsOf({ arguments: declared }: Readonly<Record<string, unknown>>): Record<string, string> {
  if (!Array.isArray(declared)) return {};
  return Object.fromEntries((declared as { name: string }[]).map(({ name }) => [name, '']));
}

function exampleOf(schema: unknown): Record<string, unknown> | undefined {
  const { properties } = (schema ?? {}) as { properties?: Record<string, { type?: string }> };
  if (properties === undefined) return undefined;
  return Object.fromEntries(Object.keys(properties).map((name) => [name, '']));
}

/** `● Primary`, and the words of a specialist's switch. */
export function agentState({ isPrimary, enabled }: DefinitionSummary): string {
  if (isPrimary === true) return '● Primary';
  return enabled === true ? '✓ Enabled' : 'Disabled';
}

export function describe({ description, steps, public: isPublic }: DefinitionSummary): string {
  const facts = [
    description,
    steps === undefined ? undefined : countText(steps, 'step'),
    isPublic === true ? 'public' : undefined,
  ];
  return plainText(facts.filter((fact) => fact !== undefined).join(' · '));
}
