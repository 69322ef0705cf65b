/**
 * The one table of error codes. Every refusal that leaves Baton has its row here: the HTTP status that REST
 * answers with, the JSON-RPC code where it is a protocol error, and whether the same call may be repeated unchanged.
 * `internal` may not: whether the call took effect is unknown.
 */
interface ErrorRow {
  readonly http: number;
  readonly rpc: number;
  readonly repeat: boolean;
}

const row = (http: number, rpc: number, repeat = false): ErrorRow => ({ http, rpc, repeat });

export const ERRORS = {
  invalid_arguments: row(400, -32602),
  unauthenticated: row(401, -32001),
  insufficient_scope: row(403, -32001),
  origin_refused: row(403, -32000),
  unsupported_media_type: row(415, -32000),
  not_found: row(404, -32601),
  method_not_allowed: row(405, -32000),
  not_acceptable: row(406, -32000),
  interaction_not_found: row(404, -32602),
  interaction_already_answered: row(409, -32602),
  interaction_claimed: row(409, -32602, true),
  interaction_expired: row(410, -32602),
  interaction_cancelled: row(410, -32602),
  answer_invalid: row(422, -32602),
  schema_unusable: row(422, -32602),
  agent_error: row(502, -32603),
  agent_refused: row(502, -32603),
  task_not_found: row(404, -32602),
  task_ended: row(409, -32602),
  task_cancelled: row(409, -32602),
  task_expired: row(410, -32602),
  task_not_workflow: row(409, -32602),
  task_not_failed: row(409, -32602),
  task_not_retryable: row(409, -32602),
  task_unfinished: row(409, -32003, true),
  program_unavailable: row(503, -32603, true),
  program_diverged: row(500, -32603),
  journal_too_large: row(413, -32603),
  idempotency_conflict: row(409, -32602),
  project_not_found: row(404, -32602),
  project_task_not_found: row(404, -32602),
  project_task_done: row(409, -32602),
  project_conflict: row(409, -32603, true),
  tag_not_found: row(404, -32602),
  tag_not_empty: row(409, -32602),
  tag_exists: row(409, -32602),
  dependency_cycle: row(409, -32602),
  dependency_not_found: row(404, -32602),
  file_not_found: row(404, -32602),
  attachment_not_found: row(404, -32602),
  workflow_not_found: row(404, -32602),
  agent_not_found: row(404, -32602),
  conversation_not_found: row(404, -32602),
  agent_is_primary: row(409, -32602),
  definition_conflict: row(412, -32602),
  agents_conflict: row(409, -32603, true),
  prompt_not_found: row(404, -32602),
  tenant_not_found: row(404, -32602),
  tenant_exists: row(409, -32602),
  tenant_active: row(409, -32602),
  tenant_suspended: row(403, -32001),
  key_not_found: row(404, -32602),
  session_not_found: row(404, -32001),
  session_required: row(400, -32600),
  limit_subscriptions: row(413, -32602),
  limit_streams: row(429, -32003, true),
  limit_rate: row(429, -32003, true),
  limit_pending: row(429, -32003, true),
  limit_size: row(413, -32602),
  limit_storage: row(413, -32602),
  limit_connections: row(429, -32003, true),
  limit_buffers: row(429, -32003, true),
  limit_checks: row(429, -32003, true),
  unavailable: row(503, -32003, true),
  internal: row(500, -32603),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** Facts about a refusal that a machine can use: `field`, `interactionId`, `retryAfterMs`, ... */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** A refusal with a code. `message` says what was refused, with which value, and what to do instead. */
export class BatonError extends Error {
  override readonly name = 'BatonError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get row(): ErrorRow {
    return ERRORS[this.code];
  }

  /** The shape under `structuredContent.error`, in `task_status` and in problem documents. */
  toWire(): WireError {
    return { ...this.details, code: this.code, message: this.message };
  }

  static fromWire(error: WireError): BatonError {
    const { code, message, ...details } = error;
    return new BatonError(isErrorCode(code) ? code : 'internal', message, details);
  }
}

export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/**
 * Turns anything thrown into a BatonError. What is not one already becomes `internal` without its text: the text
 * goes to the log only, since it may hold a customer's data.
 */
export function toBatonError(thrown: unknown): BatonError {
  if (thrown instanceof BatonError) return thrown;
  return new BatonError(
    'internal',
    'Something failed inside Baton; its log has the cause. Whether the call took effect is unknown: check before you repeat it.',
  );
}
