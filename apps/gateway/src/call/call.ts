import type { AnswerValidator, Programs } from '@baton/runner';
import type { Operation } from '@baton/operations';
import type { Caller, Store, TenantStore } from '@baton/store';
import type { InflightWaits } from './inflight-waits.ts';
import type { LightAbortSignal } from './light-abort-signal.ts';
import type { Session } from '../sessions/session.ts';
import type { BatonError } from '@baton/protocol';

/** What this process shares between requests. */
export interface Services {
  readonly store: Store;
  readonly programs: Programs;
  readonly answerCheck: AnswerValidator;
  /** The operations that are tools here. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly inflightWaits: InflightWaits;
}

/** One call, from its request to its reply. */
export interface Call {
  readonly services: Services;
  readonly tenant: TenantStore;
  readonly caller: Caller;
  /** Its signal aborts when nobody should wait any longer: the client has gone (`GONE`), or the process drains. */
  readonly signal: () => LightAbortSignal;
  /** The MCP session that the call shows, once it was found to be its principal's and not to have ended. */
  session?: Session;
  /** Set when the call was refused for a reason that HTTP has a status for; the edge answers with it. */
  refused?: BatonError;
}
