import { BatonError, isRecord } from '@baton/protocol';

/** Each message of a batch is admitted by itself, so that a batch of thousands would take seconds. */
const MAX_BATCH = 100;

/** The SDK reads a request's envelope several times over, field by field: tens of thousands would hold up everyone. */
const MAX_FIELDS = 2_000;

/**
 * Refuses a request with more messages, or with more fields in its messages, their params, arguments and _meta taken
 * together, than any client sends. Errors: `limit_size`.
 */
export function enforceBatchAndFieldLimits(body: unknown): void {
  if (Array.isArray(body) && body.length > MAX_BATCH) {
    throw new BatonError(
      'limit_size',
      `A batch may hold ${MAX_BATCH} messages; this one holds ${body.length}. Send them in several.`,
      { limit: 'batch', most: MAX_BATCH },
    );
  }
  let fields = 0;
  for (const message of Array.isArray(body) ? body : [body]) {
    if (!isRecord(message)) continue;
    const { params } = message;
    fields += fieldsOf(message) + fieldsOf(message['result']) + fieldsOf(message['error']) + fieldsOf(params);
    if (isRecord(params)) fields += fieldsOf(params['arguments']) + fieldsOf(params['_meta']);
  }
  if (fields <= MAX_FIELDS) return;
  throw new BatonError(
    'limit_size',
    `The params, arguments and _meta of a request may hold ${MAX_FIELDS} fields; these hold ${fields}.`,
    { limit: 'fields', most: MAX_FIELDS },
  );
}

function fieldsOf(value: unknown): number {
  return isRecord(value) ? Object.keys(value).length : 0;
}
