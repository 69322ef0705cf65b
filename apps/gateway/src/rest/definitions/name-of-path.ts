import { BatonError } from '@baton/protocol';

/** Errors: `invalid_arguments` naming the field, where a definition has another name than its path. */
export function requireNameOfPath(field: string, inPath: string, inBody: string): void {
  if (inPath === inBody) return;
  const message = `${field}: the path says '${inPath}', the definition '${inBody}'`;
  throw new BatonError('invalid_arguments', message, { field });
}
