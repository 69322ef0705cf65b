import { BatonError } from '@baton/protocol';

/** The tools that claude-task-master's users know as its tiers, and beside them what tells how a task of Baton stands. */
const CORE = [
  'get_tasks',
  'next_task',
  'get_task',
  'set_task_status',
  'update_subtask',
  'parse_prd',
  'expand_task',
];
const STANDARD = [
  ...CORE,
  'initialize_project',
  'start_next_task',
  'analyze_project_complexity',
  'expand_all',
  'add_subtask',
  'remove_task',
  'add_task',
  'complexity_report',
  'task_status',
  'ask_assistant',
];

/** In every selection: what waits for an answer must be answerable. */
const ALWAYS: ReadonlySet<string> = new Set(['agent_llm', 'pending_interactions']);

const TIERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['core', new Set(CORE)],
  ['standard', new Set(STANDARD)],
]);
const ALL = 'all';

/** A selection has so many names at most. */
const MAX_NAMES = 64;
const AGENT_TOOL = /^agent_[a-z][a-z0-9_]{0,47}$/;

/** What of the tools is listed: tiers, and tools by name. Every tool can be called, listed or not. */
export type ToolSelection = ReadonlySet<string>;

/** Where nothing selects. */
const DEFAULT_SELECTION: ToolSelection = new Set(['standard']);

/**
 * Reads `core`, `standard`, `all`, or names of tools and tiers with commas between them. `field` is where it stands. A specialist
 * (`agent_<id>`) may be named before it exists. Errors: `invalid_arguments`.
 */
export function parseToolSelection(
  text: string,
  isTool: (name: string) => boolean,
  field: string,
): ToolSelection {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.find(
    (name) => name !== ALL && !TIERS.has(name) && !isTool(name) && !AGENT_TOOL.test(name),
  );
  if (unknown !== undefined || names.length > MAX_NAMES) {
    const problem =
      unknown === undefined
        ? `names ${names.length} tools, and may name ${MAX_NAMES}`
        : `'${unknown.slice(0, 100)}' is neither a tier (core, standard, all) nor a tool. tools/list with all shows the tools; names have commas between them`;
    throw new BatonError('invalid_arguments', `${field}: ${problem}`, { field });
  }
  return new Set(names);
}

/** A selection as a key's record has it, with commas. */
export function formatToolSelection(selection: ToolSelection): string {
  return [...selection].join(',');
}

/** What counts: what the request selects and what its key, as its identity has it, does; the standard where neither does. */
export function selectionsOf(requested: readonly ToolSelection[], ofKey = ''): readonly ToolSelection[] {
  const all = ofKey === '' ? requested : [...requested, new Set(ofKey.split(' '))];
  return all.length === 0 ? [DEFAULT_SELECTION] : all;
}

/** True where each of the selections has the tool: the narrowest counts. */
export function areListing(selections: readonly ToolSelection[], tool: string): boolean {
  if (ALWAYS.has(tool)) return true;
  const tiers = [...TIERS].filter(([, tools]) => tools.has(tool)).map(([tier]) => tier);
  // The specialists that a tenant has enabled are its own standard.
  if (AGENT_TOOL.test(tool)) tiers.push('standard');
  return selections.every((selection) => [ALL, tool, ...tiers].some((name) => selection.has(name)));
}

/** False where no specialist can be listed, so that none need be read. */
export function mayListAgents(selections: readonly ToolSelection[]): boolean {
  return selections.every((selection) =>
    [...selection].some((name) => name === ALL || name === 'standard' || name.startsWith('agent_')),
  );
}
