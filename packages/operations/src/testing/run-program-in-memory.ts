import type { Awaited, Entry, Journal, Lookup, ProgramDefinition, ReadLimits, Step } from '@baton/engine';
import { replayProgram } from '@baton/engine/testing/replay-program';
import {
  type AgentAnswer,
  BatonError,
  DEFAULT_LIMITS,
  type DelegatedCall,
  type Message,
  toBatonError,
} from '@baton/protocol';
import { applyCommand, type Project, type ProjectCommand } from '../project/index.ts';

/**
 * Runs a program to its end in memory, for tests: replays it over its journal after each outcome, as the workers do,
 * with every value taken through JSON as the store takes it.
 */
export interface SimulatedEnvironment {
  readonly projects: Map<string, Project>;
  /** The messages that turns have added to conversations. */
  readonly conversations?: Map<string, Message[]>;
  /** The tenant's limits; by default those of every tenant. */
  readonly limits?: ReadLimits;
  /** Answers the requests; those of one round in the order of their paths. */
  readonly answer: (call: DelegatedCall, asked: number) => AgentAnswer;
  /** What lookups find; without it, each role has one route and nothing else is found. */
  readonly lookup?: (of: Lookup) => unknown;
}

export interface ProgramRun {
  readonly end: Exclude<Step, { status: 'awaiting' }>;
  /** Each effect that was carried out, as `path kind`. */
  readonly transcript: readonly string[];
  readonly calls: readonly DelegatedCall[];
}

export const TEST_NOW = '2026-03-01T12:00:00.000Z';

export function runProgramInMemory<Input>(
  program: ProgramDefinition<Input>,
  input: Input,
  world: SimulatedEnvironment,
): ProgramRun {
  const journal = new Map<string, Entry>();
  const transcript: string[] = [];
  const calls: DelegatedCall[] = [];
  for (let round = 0; round < 1_000; round++) {
    const step = replayProgram(program, input, journal as Journal);
    if (step.status !== 'awaiting') return { end: step, transcript, calls };
    for (const { path, entry, drop } of step.collapsed) {
      for (const inner of drop) journal.delete(inner);
      journal.set(path, entry);
    }
    for (const awaited of step.awaited) {
      transcript.push(`${awaited.path} ${awaited.effect.kind}`);
      if (awaited.effect.kind === 'llm') calls.push(awaited.effect.call);
      journal.set(awaited.path, asJournaled(performEffect(awaited, world, calls.length)));
    }
  }
  throw new Error('the program does not end');
}

/** An answer as an agent gives it that honours its schema. */
export function objectAnswer(value: unknown): AgentAnswer {
  return { status: 'success', data: { object: value } };
}

function performEffect({ effect }: Awaited, world: SimulatedEnvironment, asked: number): Entry {
  const { kind } = effect;
  try {
    switch (effect.kind) {
      case 'llm':
        return { kind, ok: true, value: world.answer(effect.call, asked) };
      case 'read':
        return {
          kind,
          ok: true,
          value: effect.select(world.projects.get(effect.project) as never, world.limits ?? DEFAULT_LIMITS),
        };
      case 'commit': {
        const command = effect.command as ProjectCommand;
        const { project, outcome } = applyCommand(world.projects.get(effect.project), command, TEST_NOW);
        world.projects.set(effect.project, project);
        return { kind, ok: true, value: outcome };
      }
      case 'lookup':
        return { kind, ok: true, value: world.lookup?.(effect.of) ?? lookUpRole(effect.of) };
      case 'check':
        return { kind, ok: true, value: { ok: true, value: effect.data } };
      case 'sleep':
        return { kind, ok: true, value: null };
      case 'turn': {
        const messages = world.conversations?.get(effect.conversation);
        if (messages === undefined) throw new BatonError('conversation_not_found', effect.conversation);
        return { kind, ok: true, value: { waits: false, from: 0, to: messages.length } };
      }
      case 'append': {
        const conversationId = effect.conversation ?? 'own';
        const before = world.conversations?.get(conversationId) ?? [];
        world.conversations?.set(conversationId, [...before, ...effect.messages]);
        return { kind, ok: true, value: { conversationId } };
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return { kind, ok: false, error: toBatonError(thrown).toWire() };
  }
}

function lookUpRole(of: Lookup): { routes: number } {
  if ('role' in of) return { routes: 1 };
  throw new BatonError('internal', 'there is nothing to look up');
}

function asJournaled(entry: Entry): Entry {
  return JSON.parse(JSON.stringify(entry)) as Entry;
}
