import type { Call } from './call.ts';
import type { DialectChoice } from './dialect-choice.ts';

/**
 * How the client of an admitted call is shown requests: as the call says, then as its key has it, then as `chooseDialect` found. Undefined for a
 * call of another protocol. Errors: `unavailable`.
 */
export async function resolveDialect({
  dialectChoice,
  caller,
  tenant,
}: Call): Promise<DialectChoice | undefined> {
  if (dialectChoice === undefined || dialectChoice.isForced || dialectChoice.possible.length < 2)
    return dialectChoice;
  const key = caller.heldIdentity().admittedBy?.id;
  const dialect = key === undefined ? undefined : await tenant.apiKeys.cachedDialect(key);
  return dialect === undefined || !dialectChoice.possible.includes(dialect)
    ? dialectChoice
    : { ...dialectChoice, dialect, isForced: true };
}
