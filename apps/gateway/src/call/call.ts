import type { ChangedResource, Operation } from '@baton/operations';
import type { CallerSchemaValidator, Programs } from '@baton/runner';
import type { Scope } from '@baton/protocol';
import type { CallerAdmission, Identity, Store, TenantStore } from '@baton/store';
import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { InflightWaits } from './inflight-waits.ts';
import type { CallTrace } from './call-trace.ts';
import type { LogEvent } from './logged-events.ts';
import type { ObjectSchema } from '../tool-listing/listed-schema.ts';
import type { ToolListing } from '../tool-listing/tool-metadata.ts';
import type { ToolSelection } from '../tool-listing/tool-selection.ts';
import type { CallAbortSignal } from './call-abort-signal.ts';
import type { DialectChoice } from './dialect-choice.ts';
import type { ClientTraits } from './client-traits.ts';
import type { RequestOf2026 } from './request-of-2026.ts';
import type { ToolReply } from './tool-reply.ts';

/** What this process shares between requests. */
export interface Services {
  readonly store: Store;
  readonly programs: Programs;
  readonly answerValidator: CallerSchemaValidator;
  /** The operations that are tools here. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Every tool, in the order in which it is listed. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Logs what is a bug of Baton. */
  readonly log: (error: unknown) => void;
  readonly inflightWaits: InflightWaits;
  /** Finds a resource of the official conformance suite, where that is run. */
  readonly findFixtureResource?:
    | ((uri: string) => ReadResourceResult['contents'][number] | undefined)
    | undefined;
}

/** One call, from its request to its reply. Its caller may not be admitted yet (`access.ts`). */
export interface Call {
  readonly services: Services;
  readonly tenant: TenantStore;
  readonly caller: CallerAdmission;
  /** Its signal aborts when nobody should wait any longer: the client closed (`CLIENT_CLOSED`), or the process drains. */
  readonly signal: () => CallAbortSignal;
  /** Logs an event of the call. */
  readonly logEvent: LogEvent;
  /** Tells the client of an event that another process logs; absent where it asked for no log messages. */
  readonly notifyEvent?: LogEvent;
  /** Absent unless the request is traced. */
  readonly trace?: CallTrace | undefined;
  /** The MCP session that the request shows, verified; undefined without one. */
  readonly sessionId?: string;
  /** What the request itself selects of the tools, beside what its key does. */
  readonly selections?: readonly ToolSelection[];
  /** How replies are written for its client; undefined where none is of MCP. */
  readonly client?: ClientTraits;
  /** What its client has declared that it can do, in `initialize` of its session. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** How its client is shown requests for an LLM; by a directive where that is not said. */
  readonly dialectChoice?: DialectChoice;
  /** Of a call of MCP 2026-07-28. */
  readonly of2026?: RequestOf2026;
  /** How long it waits for what comes of the work that it starts, in milliseconds; a default where it does not say. */
  readonly waitMs?: number;
  /** True where no earlier call can have had its idempotency key, but for one that runs beside it. */
  readonly isFirstAttempt?: boolean;
  /** Sends a message on the stream of the call's reply, which can be resumed behind it with `id`; an id alone for ''. Absent where the reply is no such stream. */
  readonly sendEvent?: ((json: string, id: string | undefined) => void) | undefined;
  /** Sends a progress notification to a caller that asked for them (MCP, basic/utilities/progress). */
  readonly reportProgress?: (progress: Progress) => Promise<void>;
}

/** How far a call has come: `progress` grows with each. */
export interface Progress {
  readonly progress: number;
  readonly message: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A call whose caller was admitted before it ran. */
export interface AdmittedCall extends Call {
  readonly identity: Identity;
}

/** A call whose caller is admitted by the first script that it runs; `admit` does so earlier, under the declared access. */
export interface UnadmittedCall extends Call {
  admit(): Promise<Identity>;
}

/**
 * Who may use a tool, a resource, an MCP method or a REST route. Each declares it where it is defined, and `access.ts`
 * is where the gateway admits callers: a request is counted against its tenant's rate limit once, however often it is admitted.
 */
export interface Access<AdmittedBy extends 'edge' | 'script' = 'edge' | 'script'> {
  /** The caller needs one of these. */
  readonly scopes: readonly Scope[];
  /** The interaction that an answer is for: an answer that is waited for may overdraw the rate, and is refused last. */
  readonly answerTo?: string | undefined;
  /** `edge`: before anything of it runs. `script`: by the first script that it runs, which saves a round trip to Redis. */
  readonly admittedBy: AdmittedBy;
}

/** A tool as MCP lists it, and what it does. One per file. */
export interface Tool {
  readonly name: string;
  readonly access: Access;
  /** The kinds of resources that it makes or changes. */
  readonly changes: readonly ChangedResource[];
  /** As an operation's. */
  readonly needs?: Operation['needs'];
  readonly asksWithinCall?: Operation['asksWithinCall'];
  readonly listing: ToolListing;
  /** Its schemas as they are; those of the listing are shortened. */
  readonly schemas: { readonly input: ObjectSchema; readonly output: ObjectSchema };
  /** What its input schema says against arguments. */
  findProblems(args: unknown): readonly ArgumentProblem[];
  call(args: unknown, call: Call, meta: RequestMeta): Promise<ToolReply>;
  /** Starts what a call does as a task, where that can be. Errors: as `call`. */
  readonly startTask?: (args: unknown, call: Call, meta: RequestMeta) => Promise<StartedTask>;
}

/** A task that a call stands for; `created` is false where an earlier call with the same idempotency key has started it. */
export interface StartedTask {
  readonly taskId: string;
  readonly created: boolean;
}

/** What is wrong with an argument: its name, dotted where it is nested, and what it must be. */
export interface ArgumentProblem {
  readonly field: string;
  readonly problem: string;
}

/** A request's `_meta`, as it came. */
export type RequestMeta = Readonly<Record<string, unknown>>;
