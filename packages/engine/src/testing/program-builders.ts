import type { DelegatedCall } from '@baton/protocol';
import { askAgent, type Effect, type Program, type ProgramDefinition } from '../program/effect.ts';
import type { Step } from '../program/replay-program.ts';
import type { Entry, EntryKind, Journal } from '../program/journal.ts';

/** Programs and journals as tables write them: questions are words, answers are plain values. */
export function buildDelegatedCall(words: string): DelegatedCall {
  const request = { apiKey: null, modelId: 'model', messages: [{ role: 'user' as const, content: words }] };
  return { role: 'main', serviceType: 'generateText', attempt: 1, summary: words, request };
}

export function* askTestQuestion(words: string): Program<unknown> {
  return yield* askAgent(buildDelegatedCall(words));
}

export function buildTestProgram(run: () => Program<unknown>): ProgramDefinition<null> {
  return {
    name: 'small',
    version: 1,
    *run() {
      return { said: (yield* run()) as string };
    },
  };
}

export const valueEntry = (kind: EntryKind, value: unknown): Entry => ({ kind, ok: true, value });
export const answerEntry = (value: unknown): Entry => valueEntry('llm', value);
export const errorEntry = (kind: EntryKind, code: string): Entry => ({
  kind,
  ok: false,
  error: { code, message: code },
});
export const buildJournal = (entries: Record<string, Entry> = {}): Journal =>
  new Map(Object.entries(entries));

/** A step in few words: what is asked where, what was said, or the code of the failure. */
export function describeStep(step: Step): unknown {
  if (step.status === 'completed') return step.result['said'];
  if (step.status === 'failed') return step.error.code;
  return Object.fromEntries(step.awaited.map(({ path, effect }) => [path, effectInShort(effect)]));
}

function effectInShort(effect: Effect): string {
  return effect.kind === 'llm' ? effect.call.summary : effect.kind;
}
