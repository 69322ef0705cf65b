import type { BatonError, ErrorCode } from '@baton/protocol';

/** What admission refuses with, but for a body that is too large. */
const ADMISSION_REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
  'limit_rate',
  'unavailable',
]);

/** Of what a tenant has open, or uses, in all. */
const TENANT_LIMITS: ReadonlySet<ErrorCode> = new Set(['limit_pending', 'limit_checks']);

export function isAdmissionRefusal({ code }: BatonError): boolean {
  return ADMISSION_REFUSALS.has(code);
}

/** True for a refusal that repeating does not help against: the credential or its tenant is no longer good. */
export function isPermanentRefusal(error: BatonError): boolean {
  return isAdmissionRefusal(error) && !error.row.repeat;
}

/**
 * True for what MCP answers with an HTTP status of its own, since it concerns the credential, the tenant or the server.
 * Whatever is wrong with the call itself is a result or a JSON-RPC error under status 200.
 */
export function isMcpHttpError(error: BatonError): boolean {
  return isAdmissionRefusal(error) || TENANT_LIMITS.has(error.code) || isOversizedBody(error);
}

function isOversizedBody({ code, details }: BatonError): boolean {
  return code === 'limit_size' && details['limit'] === 'requestBytes';
}
