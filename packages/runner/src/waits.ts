import type { Awaited } from '@baton/engine';
import { BatonError, LARGE_REQUEST_TOKENS, MAX_INTERACTIONS } from '@baton/protocol';
import type { Wait } from '@baton/store';

type Carried = 'read' | 'commit' | 'check';
export type Immediate = Extract<Awaited['effect'], { kind: Carried }>;

/** True for what whoever runs the segment carries out at once. */
export function isImmediate(effect: Awaited['effect']): effect is Immediate {
  return effect.kind === 'read' || effect.kind === 'commit' || effect.kind === 'check';
}

/**
 * What a segment awaits, as the store parks it, but for what is open already.
 * Errors: `internal` when a task would open more interactions than its ids can number.
 */
export function waitsOf(
  awaited: readonly Awaited[],
  open: ReadonlySet<string>,
  interactions: number,
): Wait[] {
  const waits = awaited.flatMap((one) => (open.has(one.path) ? [] : waitOf(one)));
  if (interactions + waits.length > MAX_INTERACTIONS) {
    throw new BatonError(
      'internal',
      `A task may open ${MAX_INTERACTIONS} interactions; this one asks for more.`,
    );
  }
  return waits;
}

function waitOf({ path, effect }: Awaited): Wait[] {
  switch (effect.kind) {
    case 'sleep':
      return [{ kind: 'sleep', path, ms: effect.ms }];
    case 'llm':
      return [{ kind: 'llm', path, request: { kind: 'llm', call: withWarning(effect.call) } }];
    case 'elicitation': {
      const { kind, message, schema } = effect;
      return [{ kind, path, request: { kind, message, schema } }];
    }
    default:
      return [];
  }
}

type Call = Extract<Awaited['effect'], { kind: 'llm' }>['call'];

/** A request that few models will take says so itself. Four bytes a token is the usual estimate. */
function withWarning(call: Call): Call {
  // Of the words alone: to write the whole request out for its length would cost as much as storing it.
  const characters = call.request.messages.reduce((sum, { content }) => sum + lengthOf(content), 0);
  const tokens = Math.ceil(characters / 4);
  if (tokens <= LARGE_REQUEST_TOKENS) return call;
  const warning = `This request is about ${tokens} tokens long; make sure that the model takes as many.`;
  return { ...call, request: { ...call.request, warning } };
}

/** A caller's own request may hold content blocks, whatever the type says. */
function lengthOf(content: unknown): number {
  return typeof content === 'string' ? content.length : JSON.stringify(content).length;
}
