import { defineScript } from './script.ts';
import { BATCHED, NEW_WORK, RECHECK_ARGS, REPLICATED } from './script-groups.ts';

/** The scripts of workflows and agents that a tenant defines; the rest is in registry.ts. */

export const PUT_DEFINITION = defineScript(
  'definition/put_definition',
  ['credential', 'tenant', 'definitions', 'definition', 'workflows', 'publicPrompts', 'activeChangeChannel'],
  [
    ...RECHECK_ARGS,
    ...([
      'kind',
      'limit',
      'name',
      'definition',
      'summary',
      'enabled',
      'primary',
      'revision',
      'public',
      'by',
      'kept',
      'expected',
      'dryRun',
    ] as const),
  ],
  { ...REPLICATED, ...NEW_WORK },
);

export const DELETE_DEFINITION = defineScript(
  'definition/delete_definition',
  ['credential', 'tenant', 'definitions', 'definition', 'publicPrompts', 'activeChangeChannel'],
  [...RECHECK_ARGS, 'kind', 'name', 'expected'],
  REPLICATED,
);

export const READ_DEFINITION = defineScript(
  'definition/read_definition',
  ['tenant', 'definitions', 'definition'],
  ['kind', 'name', 'version'],
  BATCHED,
);

export const READ_DEFINITIONS = defineScript(
  'definition/read_definitions',
  ['tenant', 'definitions'],
  [],
  BATCHED,
);

export const CHANGE_AGENT = defineScript(
  'definition/change_agent',
  ['credential', 'tenant', 'definitions', 'definition', 'activeChangeChannel'],
  [...RECHECK_ARGS, 'kind', 'name', 'enabled', 'primary'],
  REPLICATED,
);
