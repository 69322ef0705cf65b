import { isRecord, type KeyDialect } from '@baton/protocol';

/** How a call's requests for an LLM or a person are shown to its client, who answers them. */
export interface DialectChoice {
  readonly dialect: Dialect;
  /** Whether the call asked for the dialect. */
  readonly isForced: boolean;
  /** Those that its client has what they need for. */
  readonly possible: readonly Dialect[];
  readonly supports: SupportedRequests;
}

/**
 * `tool`: by a directive, the result of the call. `sampling`: as requests on the call's own stream (2025). `input_required`: within the call,
 * which its client repeats with the answers (2026). `task`: as what a task asks, whose handle is the result of the call (2026).
 */
export type Dialect = KeyDialect;

/** What a client takes: requests to its model, with tools or without, questions to the person who uses it, and the one for its roots. */
export interface SupportedRequests {
  readonly sampling: boolean;
  readonly samplingTools: boolean;
  readonly elicitation: boolean;
  readonly roots: boolean;
}

/** How a client forces the dialect of a call, in the call's `_meta`. */
export const DIALECT_META_KEY = 'baton/dialect';

/** Capabilities of a client that may be asked. */
export const SAMPLING = { sampling: {} };
const ELICITATION = { elicitation: {} };
const ROOTS = { roots: {} };
/** Of a client that knows the extension by which a call's result may be a task (SEP-2663). */
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** What a dialect needs that is forced: one of these. */
const NEEDS: Readonly<Record<Dialect, readonly object[]>> = {
  tool: [],
  sampling: [SAMPLING, ELICITATION, ROOTS],
  input_required: [SAMPLING, ELICITATION, ROOTS],
  task: [TASKS],
};

/** Why the dialect that a call forces is not for it; `requiredCapabilities` where its client lacks them. */
export interface DialectRefusal {
  readonly message: string;
  readonly requiredCapabilities?: object;
}

/**
 * How the client of a call is shown requests: in the dialect that the call forces (`forced`, as its `_meta` has it), or in the first of
 * `natives` that its client can be asked in. `known`: the dialects of the call's revision.
 */
export function chooseDialect(
  forced: unknown,
  capabilities: unknown,
  known: readonly Dialect[],
  natives: readonly Dialect[],
): DialectChoice | DialectRefusal {
  const supports = supportedRequests(capabilities);
  const possible = known.filter(
    (dialect) =>
      NEEDS[dialect].length === 0 || NEEDS[dialect].some((needed) => declares(capabilities, needed)),
  );
  if (forced === undefined) {
    const native = natives.find((dialect) => possible.includes(dialect));
    return { dialect: native ?? 'tool', isForced: false, possible, supports };
  }
  const dialect = known.find((name) => name === forced);
  if (dialect === undefined) {
    const names = known.map((name) => `"${name}"`).join(', ');
    const one = JSON.stringify(forced)?.slice(0, 100);
    return { message: `_meta["${DIALECT_META_KEY}"] is ${one}; it must be one of ${names}, or left out.` };
  }
  if (possible.includes(dialect)) return { dialect, isForced: true, possible, supports };
  const needed = NEEDS[dialect].map((one) => JSON.stringify(one)).join(' or ');
  const message = `The dialect "${dialect}" needs a client that declared ${needed} among its capabilities.`;
  return { message, requiredCapabilities: NEEDS[dialect][0] ?? {} };
}

/** What a client with these capabilities takes. */
export function supportedRequests(capabilities: unknown): SupportedRequests {
  return {
    sampling: declares(capabilities, SAMPLING),
    samplingTools: declares(capabilities, { sampling: { tools: {} } }),
    elicitation: takesForms(capabilities),
    roots: declares(capabilities, ROOTS),
  };
}

/** A client that names modes of elicitation takes those alone; one that names none takes forms (MCP 2025-11-25, client/elicitation, Capabilities). */
function takesForms(capabilities: unknown): boolean {
  if (!declares(capabilities, ELICITATION)) return false;
  const isNamed = declares(capabilities, { elicitation: { url: {} } });
  return !isNamed || declares(capabilities, { elicitation: { form: {} } });
}

/** Whether capabilities have each part of those that are needed. */
export function declares(capabilities: unknown, needed: object): boolean {
  return Object.entries(needed).every(
    ([name, inner]) =>
      isRecord(capabilities) && isRecord(capabilities[name]) && declares(capabilities[name], inner as object),
  );
}
