import { hash } from 'node:crypto';
import { BatonError, canonicalJson, type Json } from '@baton/protocol';
import type { Seal, Store } from '@baton/store';
import { z } from 'zod';
import type { AdmittedCall, Call } from '../../../call/call.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';

/** What request states are sealed for. */
const PURPOSE = 'request state';

/** A state of as many requests as one turn shows is far shorter. */
const MAX_SEALED_LENGTH = 65_536;

const stateSchema = z.object({
  tenant: z.string(),
  principal: z.string(),
  method: z.string(),
  name: z.string(),
  /** Digest of the canonical arguments. */
  arguments: z.string(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
  taskId: z.string(),
  operation: z.string(),
  /** What was asked with it: the number of each interaction, and its key and method where they are not its id and that of sampling. */
  shown: z.array(
    z.object({
      number: z.int(),
      key: z.string().optional(),
      method: z.enum(['elicitation/create', 'roots/list']).optional(),
    }),
  ),
  /** Of `prompts/get`: the task of the workflow that the task is a step of. */
  workflow: z.string().optional(),
});
type RequestState = z.infer<typeof stateSchema>;

/** Where a call stands: the task that it waits for, and what its client was shown of it. */
export type Turn = Pick<RequestState, 'taskId' | 'operation' | 'shown' | 'workflow'>;

/** The call that a state belongs to: only this call, repeated by the same principal, goes on with it. */
export interface RepeatableCall {
  readonly method: string;
  readonly name: string;
  readonly arguments?: unknown;
}

/**
 * `requestState` of MCP 2026-07-28 (basic/patterns/mrtr): where a call stands, sealed, so that any replica goes on with it and no
 * client can change it. Nothing of it is stored: what was answered before is the interaction's to know.
 */
export class RequestStates {
  private readonly seal: Seal;

  constructor(store: Pick<Store, 'seal'>) {
    this.seal = store.seal(PURPOSE);
  }

  /** For a call whose caller was admitted. */
  sealTurn(turn: Turn, { tenant, caller }: Pick<Call, 'tenant' | 'caller'>, call: RepeatableCall): string {
    if (caller.principal === undefined)
      throw new Error('a turn has no principal before its caller is admitted');
    const { task, retention } = tenant.lifetimes;
    const state: RequestState = {
      ...turn,
      ...boundTo(call, tenant.id, caller.principal),
      // A task is as old at most, until nothing of it can be read any more.
      expiresAt: Date.now() + task + retention,
    };
    return this.seal.seal(JSON.stringify(state), PURPOSE);
  }

  /** The turn of a state that this call was given. Errors: -32602 for any other state, and for one that has expired. */
  openTurn(sealed: unknown, { tenant, identity }: AdmittedCall, call: RepeatableCall): Turn {
    const opened =
      typeof sealed === 'string' && sealed.length <= MAX_SEALED_LENGTH
        ? this.seal.open(sealed, PURPOSE)
        : undefined;
    if (opened === undefined) throw refusedState('was not given out here, or was changed');
    const state = stateSchema.parse(JSON.parse(opened.text));
    const bound = boundTo(call, tenant.id, identity.principal);
    // Whose it is otherwise is nobody's to know.
    if (state.tenant !== bound.tenant || state.principal !== bound.principal)
      throw refusedState('was not given out here, or was changed');
    if (state.expiresAt <= Date.now()) throw refusedState('has expired');
    for (const part of ['method', 'name', 'arguments'] as const)
      if (state[part] !== bound[part]) throw refusedState(`belongs to a call of which ${part} differs`);
    return state;
  }
}

function boundTo({ method, name, arguments: args }: RepeatableCall, tenant: string, principal: string) {
  const digest = hash('sha256', canonicalJson((args ?? {}) as Json), 'base64url').slice(0, 27);
  return { tenant, principal, method, name, arguments: digest };
}

function refusedState(why: string): RpcError {
  const message = `requestState ${why}. Repeat the call as it was, with the requestState of its last result, or make it anew without one.`;
  return RpcError.of(new BatonError('invalid_arguments', message, { field: 'requestState' }));
}
