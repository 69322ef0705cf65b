import { BatonError, isRecord } from '@baton/protocol';

/**
 * A definition as it was sent: bare, or as a GET gives it, with its version beside it. Where it does not say what it is called (`field`),
 * the path does.
 */
export function readDefinitionBody(field: string, inPath: string, body: unknown): unknown {
  if (!isRecord(body)) return body;
  const { definition, version } = body;
  const sent = isRecord(definition) && version !== undefined ? definition : body;
  return Object.hasOwn(sent, field) ? sent : { ...sent, [field]: inPath };
}

/** Errors: `invalid_arguments` naming the field, where a definition has another name than its path. */
export function requireNameOfPath(field: string, inPath: string, inBody: string): void {
  if (inPath === inBody) return;
  const message = `${field}: the path says '${inPath}', the definition '${inBody}'`;
  throw new BatonError('invalid_arguments', message, { field });
}
