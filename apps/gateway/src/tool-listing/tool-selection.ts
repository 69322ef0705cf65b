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
  'analyze_project_complexity',
  'expand_all',
  'add_subtask',
  'remove_task',
  'add_task',
  'complexity_report',
  'task_status',
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

/** What of the tools is offered: tiers, and tools by name. Undefined is all of them. */
export type ToolSelection = ReadonlySet<string> | undefined;

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
  return names.includes(ALL) ? undefined : new Set(names);
}

/** A selection as a key's record has it, with commas; empty for all. */
export function formatToolSelection(selection: ToolSelection): string {
  return [...(selection ?? [])].join(',');
}

/** The selection of a key, as its identity has it. */
export function selectionOfKey(tools = ''): ToolSelection {
  return tools === '' ? undefined : new Set(tools.split(' '));
}

/** The name of a tool and the tiers that have it: a selection with any of these offers it. Empty for one that is in every selection. */
export function settingsThatOffer(tool: string): readonly string[] {
  if (ALWAYS.has(tool)) return [];
  return [tool, ...[...TIERS].filter(([, tools]) => tools.has(tool)).map(([tier]) => tier)];
}

/** True where each of the selections offers the tool: the narrowest counts. */
export function areOffering(selections: readonly ToolSelection[], tool: string): boolean {
  const settings = settingsThatOffer(tool);
  return (
    settings.length === 0 ||
    selections.every((selection) => selection === undefined || settings.some((name) => selection.has(name)))
  );
}
