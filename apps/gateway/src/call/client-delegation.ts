import { isRecord } from '@baton/protocol';

/** How a call's requests for an LLM are shown to its client, who answers them. */
export interface ClientDelegation {
  /**
   * `tool`: by a directive, the result of the call. `sampling`: as requests on the call's own stream (2025). `input_required`: within the call,
   * which its client repeats with the answers (2026). `task`: as what a task asks, whose handle is the result of the call (2026).
   */
  readonly dialect: 'tool' | 'sampling' | 'input_required' | 'task';
  /** Whether its model may be asked (`sampling/createMessage`), and whether with tools. */
  readonly takesSampling: boolean;
  readonly takesTools: boolean;
}

/** How a client forces the dialect of a call, in the call's `_meta`. */
export const DIALECT_META_KEY = 'baton/dialect';

/** The capabilities of a client whose model may be asked. */
export const SAMPLING = { sampling: {} };

/** What a client with these capabilities may be asked. */
export function askableOf(capabilities: unknown): Pick<ClientDelegation, 'takesSampling' | 'takesTools'> {
  return {
    takesSampling: declares(capabilities, SAMPLING),
    takesTools: declares(capabilities, { sampling: { tools: {} } }),
  };
}

/** Whether capabilities have each part of those that are needed. */
export function declares(capabilities: unknown, needed: object): boolean {
  return Object.entries(needed).every(
    ([name, inner]) =>
      isRecord(capabilities) && isRecord(capabilities[name]) && declares(capabilities[name], inner as object),
  );
}

/** What is wrong with a dialect that is forced, where it is none of those that there are. */
export function unknownDialect(forced: unknown, known: readonly string[]): string {
  const names = known.map((name) => `"${name}"`).join(', ');
  const one = JSON.stringify(forced)?.slice(0, 100);
  return `_meta["${DIALECT_META_KEY}"] is ${one}; it must be one of ${names}, or left out.`;
}
