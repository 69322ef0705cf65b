import { agentCatalogOf, toAgentDefinition, toPromptDefinition } from '@baton/agent-definitions';
import type { CallerSchemaValidator } from '@baton/answer-validation';
import { type Awaited, type Effect, formatEntry, type Lookup, type Outcome } from '@baton/engine';
import type { ProjectCommand } from '@baton/operations';
import { BatonError } from '@baton/protocol';
import type { AgentSource, Definitions, Projects, Roles } from '@baton/store';
import type { FencedSegment } from '@baton/store/shards';
import { changeProject } from './project/project-change.ts';
import { readProject } from './project/read-project.ts';
import type { SegmentJournal } from './segment-journal.ts';

const LOCAL_KINDS = ['read', 'commit', 'check', 'lookup', 'turn', 'append'] as const;
type LocalKind = (typeof LOCAL_KINDS)[number];
export type LocalEffect = Extract<Awaited['effect'], { kind: LocalKind }>;
type EffectOf<K extends LocalKind> = Extract<LocalEffect, { kind: K }>;

/** True for an effect that the segment performs itself, without waiting. */
export function isLocalEffect(effect: Awaited['effect']): effect is LocalEffect {
  return (LOCAL_KINDS as readonly string[]).includes(effect.kind);
}

/** Another run has taken the task over: what this one knows of it is void. */
export class StaleSegmentError extends Error {}

/** What the effects of one segment work on. */
export interface SegmentContext {
  readonly validator: CallerSchemaValidator;
  readonly segment: FencedSegment;
  readonly journal: SegmentJournal;
  /** When the segment began, by `performance.now()`: what it reads is as it was then, or later. */
  readonly beganAt: number;
}

/** What a tenant's programs look up. */
export interface LookupSource {
  readonly agents: AgentSource;
  readonly prompts: Definitions;
  readonly roles: Roles;
}

/**
 * Performs an effect that needs no wait and adds its outcome to the journal. Errors: `StaleSegment` when another run has the
 * task; what another run may mend (`unavailable`, `project_conflict`, `limit_checks`).
 */
export async function performLocalEffect(
  context: SegmentContext,
  path: string,
  effect: LocalEffect,
): Promise<void> {
  const { journal, segment, validator, beganAt } = context;
  switch (effect.kind) {
    case 'read':
      journal.add(path, { kind: 'read', ...(await performRead(segment.projects, effect, beganAt)) });
      return;
    case 'lookup':
      journal.add(path, { kind: 'lookup', ...(await performLookup(segment, effect.of)) });
      return;
    case 'check': {
      const check = () => validator.validateAnswer(segment.tenant, effect.schema, effect.data);
      journal.add(path, { kind: 'check', ...(await outcomeOf(check)) });
      return;
    }
    case 'turn':
      journal.add(path, {
        kind: 'turn',
        ...(await outcomeOf(() => beginTurn(segment, effect), isFinalOfTurn)),
      });
      return;
    case 'append':
      return addStored(context, path, 'append', () => endTurn(context, path, effect), isFinalOfTurn);
    case 'commit':
      return addStored(context, path, 'commit', () => commit(context, path, effect));
  }
}

/**
 * What a program's `select` makes of a project as it was at `since` or later. Errors: what another run may mend (`unavailable`,
 * `project_conflict`).
 */
export function performRead(
  projects: Projects,
  { project, select }: Extract<Effect, { kind: 'read' }>,
  since: number,
): Promise<Outcome> {
  return outcomeOf(() =>
    readProject(projects, project, (found, limits) => select(found as never, limits), since),
  );
}

/** Performs a lookup. Errors: what a repetition may mend (`unavailable`); every other is the effect's outcome. */
export function performLookup({ agents, prompts, roles }: LookupSource, of: Lookup): Promise<Outcome> {
  return outcomeOf(async () => {
    if ('role' in of) return { routes: await roles.countRoutes(of.role) };
    if ('prompt' in of) return toPromptDefinition(await prompts.get(of.prompt, of.version));
    if ('agent' in of) return findAgent(agents, of.agent);
    const { entries, primary } = await agents.entries();
    const isThere = entries.some(({ name }) => name === primary);
    return agentCatalogOf(
      entries,
      primary !== undefined && isThere ? await findAgent(agents, primary) : undefined,
    );
  });
}

async function findAgent(agents: AgentSource, id: string) {
  const { stored, entry } = await agents.read(id);
  return toAgentDefinition(stored, entry);
}

/** A value, or the error that a program is told of. Errors: what is not final. */
async function outcomeOf(
  work: () => Promise<unknown>,
  isFinal: (error: BatonError) => boolean = isFinalError,
): Promise<Outcome> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || !isFinal(thrown)) throw thrown;
    return { ok: false, error: thrown.toWire() };
  }
}

function isFinalError(error: BatonError): boolean {
  return !error.row.repeat;
}

/** A full queue refuses the call; its repeat is the caller's. */
function isFinalOfTurn(error: BatonError): boolean {
  return error.code === 'limit_pending' || isFinalError(error);
}

/** Adds what a script has stored with its entry in the journal; `store` resolves with that entry. */
async function addStored(
  { journal }: SegmentContext,
  path: string,
  kind: 'append' | 'commit',
  store: () => Promise<string | undefined>,
  isFinal?: (error: BatonError) => boolean,
): Promise<void> {
  let entry: string | undefined;
  const outcome = await outcomeOf(async () => (entry = await store()), isFinal);
  if (!outcome.ok) journal.add(path, { kind, ...outcome });
  else if (entry !== undefined) journal.addCommitted(path, entry);
}

/** Asks for the task's turn in a conversation. */
async function beginTurn({ turn }: FencedSegment, { conversation }: EffectOf<'turn'>): Promise<unknown> {
  const value = await turn.begin(conversation);
  if (value === 'stale') throw new StaleSegmentError();
  return value;
}

/** Ends the task's turn: the messages and the journal are written by one script. */
async function endTurn(
  { segment, journal }: SegmentContext,
  path: string,
  { conversation, title, messages }: EffectOf<'append'>,
): Promise<string> {
  const conversationId = conversation ?? segment.taskId;
  const entry = formatEntry({ kind: 'append', ok: true, value: { conversationId } });
  const unsaved = journal.pendingWrite.journal;
  const reply = await segment.turn.end(conversationId, { path, entry, journal: unsaved, title, messages });
  if (reply === 'stale') throw new StaleSegmentError();
  return reply === 'ended' ? entry : reply.journaled;
}

/** Changes a project: the change and the journal are written by one script. Undefined where nothing changes. */
async function commit(
  { segment, journal }: SegmentContext,
  path: string,
  { project, command }: EffectOf<'commit'>,
): Promise<string | undefined> {
  const unsaved = journal.pendingWrite.journal;
  let committed: string | undefined;
  await changeProject<'journaled'>(
    command as ProjectCommand,
    segment.projects,
    project,
    async (before, change, outcome) => {
      const entry = formatEntry({ kind: 'commit', ok: true, value: outcome });
      committed = entry;
      const reply = await segment.commit(project, before, change, { path, entry, journal: unsaved });
      if (reply === 'stale') throw new StaleSegmentError();
      if (typeof reply === 'string') return reply;
      committed = reply.journaled;
      return 'journaled';
    },
  );
  return committed;
}
