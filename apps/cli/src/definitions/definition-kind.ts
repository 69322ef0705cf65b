import { importRustbot } from '@baton/agent-definitions';
import { isRecord } from '@baton/protocol';
import { plainLine } from '../output/plain-text.ts';

/** A stored version of a definition, as REST gives it. */
export interface StoredDefinition {
  readonly version: number;
  readonly storedAt: string;
  readonly storedBy: string;
  readonly definition: Readonly<Record<string, unknown>>;
  /** Of a workflow's history: the tasks that go on with it. */
  readonly tasks?: readonly string[];
}

/** A definition as a list shows it. */
export interface DefinitionSummary {
  readonly version: number;
  readonly storedAt: string;
  readonly [field: string]: unknown;
}

export type DefinitionPlural = 'workflows' | 'agents' | 'prompts';

type Definition = Readonly<Record<string, unknown>>;

/** What the command line says of one kind of definition. */
export interface DefinitionKind {
  readonly plural: DefinitionPlural;
  /** What one is called by. */
  readonly key: string;
  /** What a definition is called by; whoever stores it checks it. */
  readonly nameIn: (definition: Definition) => unknown;
  /** Whether a file is stored before the others. */
  readonly comesFirst: (definition: Definition) => boolean;
  readonly listHead: readonly string[];
  readonly listRow: (one: DefinitionSummary) => readonly (string | number)[];
  /** Columns of a history beside version, time and who. */
  readonly historyHead: readonly string[];
  readonly historyRow: (one: StoredDefinition) => readonly (string | number)[];
  /** What is said of one that was deleted. */
  readonly onDelete: string;
}

const text = (value: unknown) => plainLine(typeof value === 'string' ? value : '');

const workflows: DefinitionKind = {
  plural: 'workflows',
  key: 'name',
  nameIn: ({ name }) => name,
  comesFirst: () => false,
  listHead: ['name', 'version', 'steps', 'description'],
  listRow: (one) => [text(one['name']), one.version, Number(one['steps']), text(one['description'])],
  historyHead: ['steps', 'tasks'],
  historyRow: ({ definition, tasks = [] }) => [
    Array.isArray(definition['steps']) ? definition['steps'].length : 0,
    tasks.length,
  ],
  onDelete: ' Its tasks go on with the version that they began with.',
};

const agents: DefinitionKind = {
  plural: 'agents',
  key: 'id',
  nameIn(definition) {
    const { agent } = importRustbot(definition);
    return isRecord(agent) ? agent['id'] : undefined;
  },
  // The first agent of a tenant becomes its primary.
  comesFirst: (definition) => (definition['isPrimary'] ?? definition['is_primary']) === true,
  listHead: ['id', 'version', 'state', 'model', 'description'],
  listRow: (one) => [
    text(one['id']),
    one.version,
    stateOf(one),
    text(one['model']) || '-',
    text(one['description']),
  ],
  historyHead: ['model'],
  historyRow: ({ definition }) => [text(definition['model']) || '-'],
  onDelete: '',
};

function stateOf({ enabled, isPrimary }: DefinitionSummary): string {
  if (isPrimary === true) return 'primary';
  return enabled === true ? 'enabled' : 'disabled';
}

const prompts: DefinitionKind = {
  plural: 'prompts',
  key: 'name',
  nameIn: ({ name }) => name,
  comesFirst: () => false,
  listHead: ['name', 'version', 'public', 'description'],
  listRow: (one) => [
    text(one['name']),
    one.version,
    one['public'] === true ? 'yes' : 'no',
    text(one['description']),
  ],
  historyHead: ['characters'],
  historyRow: ({ definition }) => [text(definition['text']).length],
  onDelete: '',
};

export const DEFINITION_KINDS: Readonly<Record<DefinitionPlural, DefinitionKind>> = {
  workflows,
  agents,
  prompts,
};
