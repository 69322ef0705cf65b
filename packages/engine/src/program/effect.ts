import {
  type AgentAnswer,
  type AttachableBlock,
  type DelegatedCall,
  type Limits,
  type Validation,
  type Json,
  type JsonObject,
  type Message,
  type RequestRole,
} from '@baton/protocol';

/**
 * What a program may ask of the world. A program yields effects and receives their outcomes; it does nothing itself,
 * so replaying it over recorded outcomes restores where it stood.
 *
 * `llm` waits for someone outside, `sleep` for the clock; the others are carried out at once by whoever runs the segment.
 */
export type Effect =
  | { readonly kind: 'llm'; readonly call: DelegatedCall }
  /** `limit`: that within which the program waits for room. */
  | { readonly kind: 'sleep'; readonly ms: number; readonly limit?: string }
  | {
      readonly kind: 'read';
      readonly project: string;
      readonly select: (project: never, limits: ReadLimits) => unknown;
    }
  | { readonly kind: 'commit'; readonly project: string; readonly command: Json }
  | { readonly kind: 'lookup'; readonly of: Lookup }
  | { readonly kind: 'check'; readonly schema: JsonObject; readonly data: Json }
  /** Waits for nothing: it says whether it is the task's turn to add to a conversation. */
  | { readonly kind: 'turn'; readonly conversation: string }
  /** Ends the turn. Without a conversation, one with the task's own id begins; without messages it is only left. */
  | {
      readonly kind: 'append';
      readonly conversation: string | undefined;
      readonly title: string;
      readonly messages: readonly Message[];
    }
  /** Waits for nothing and is not recorded: adds to what the task's result carries beside the program's own. */
  | { readonly kind: 'content'; readonly blocks: readonly AttachableBlock[]; readonly unread: number }
  /** Waits for nothing and is not recorded: the last answer is of no use, so a retry of the task asks for it again. */
  | { readonly kind: 'unusable' }
  /** Waits for nothing and is not recorded: a retry keeps what came before. Gives back whether the task was retried from here. */
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'all'; readonly branches: readonly (() => Program<unknown>)[]; readonly atOnce: number };

/** The limits of the tenant that bound what a read selects. */
export type ReadLimits = Pick<Limits, 'promptTokens'>;

/**
 * What a program may look up of its tenant: its primary agent and enabled specialists, one agent, a version of a prompt (by default
 * the newest), or how many routes a role has. `@baton/agent-definitions` has the first three typed.
 */
export type Lookup =
  | { readonly agents: true }
  | { readonly agent: string }
  | { readonly prompt: string; readonly version?: number }
  | { readonly role: RequestRole };

/** What a program tells of itself: it is there at once, has no outcome, and takes no path. */
export type Remark = Extract<Effect, { kind: 'content' | 'unusable' | 'checkpoint' }>;

export function isRemark(effect: Effect): effect is Remark {
  return effect.kind === 'content' || effect.kind === 'unusable' || effect.kind === 'checkpoint';
}

/** The kinds whose outcomes are recorded. */
export type EffectKind = Exclude<Effect['kind'], Remark['kind']>;

/** A running program: plain code that reads `const answer = yield* generateObject(...)`. */
export type Program<T> = Generator<Effect, T, unknown>;

/**
 * A named, versioned program. The version is bumped by hand whenever the order or the kinds of its effects change;
 * the wording of a request may change without.
 */
export interface ProgramDefinition<Input = never> {
  readonly name: string;
  readonly version: number;
  run(input: Input): Program<JsonObject>;
}

/** Asks the agent's LLM once and gives back the answer's envelope; `generateObject` is what programs want. */
export function* askAgent(call: DelegatedCall): Program<AgentAnswer> {
  return (yield { kind: 'llm', call }) as AgentAnswer;
}

/** Waits at least `ms` milliseconds by Redis's clock. */
export function* sleep(ms: number): Program<void> {
  yield { kind: 'sleep', ms };
}

/** Adds blocks of an answer to the task's result, under `content`; `unread` are others that could not be read. */
export function* addContent(blocks: readonly AttachableBlock[], unread: number): Program<void> {
  if (blocks.length > 0 || unread > 0) yield { kind: 'content', blocks, unread };
}

/** Says that the last answer is of no use: a retry of the task drops it, with what came after it, and asks anew. */
export function* discardAnswer(): Program<void> {
  yield { kind: 'unusable' };
}

/** Has a retry of the task keep what came before. True where the task was retried from here: what is counted begins anew. */
export function* reachCheckpoint(): Program<boolean> {
  return (yield { kind: 'checkpoint' }) as boolean;
}

/** Reads a project as it is when the effect is carried out; only what `select` returns is recorded. */
export function* readProject<P, T>(
  project: string,
  select: (project: P, limits: ReadLimits) => T,
): Program<T> {
  return (yield { kind: 'read', project, select }) as T;
}

/** Looks something up as it is when the effect is carried out. Errors: `agent_not_found`, `prompt_not_found`. */
export function* lookup<T>(of: Lookup): Program<T> {
  return (yield { kind: 'lookup', of }) as T;
}

/** Of a role: `routes` is how many ways lead to a model, 1 or more. */
export function lookupRole(role: RequestRole): Program<{ readonly routes: number }> {
  return lookup({ role });
}

/** Applies a command to a project as it is then, exactly once; gives back the reducer's outcome. */
export function* applyProjectCommand<T>(project: string, command: Json): Program<T> {
  return (yield { kind: 'commit', project, command }) as T;
}

/** Checks data, as an answer gave it, against a schema that a caller brought; bounded in time, so not done in here. */
export function* checkAnswer(schema: JsonObject, data: Json): Program<Validation<Json>> {
  return (yield { kind: 'check', schema, data }) as Validation<Json>;
}

/**
 * Runs branches side by side, at most `atOnce` of them unfinished at a time, and gives back their values in order.
 * When branches fail it waits for the rest and then throws the first failure by position, so that the end never
 * depends on the order of answers; a branch that wants to go on despite a failure catches it itself.
 */
export function* all<T>(branches: readonly (() => Program<T>)[], atOnce = 8): Program<T[]> {
  // With less than one at once the task would wait for nothing, for ever.
  if (!(atOnce >= 1)) throw new RangeError(`all: atOnce is ${atOnce}, it must be 1 or more`);
  return (yield { kind: 'all', branches, atOnce }) as T[];
}
