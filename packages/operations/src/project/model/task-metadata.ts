import { BatonError, exceedsDepth, isRecord, type JsonObject } from '@baton/protocol';
import { z } from 'zod';

/** Fields of their users' own at tasks and subtasks, as claude-task-master has them: no LLM is shown or changes them. */
const MAX_METADATA_LENGTH = 50_000;
const MAX_METADATA_DEPTH = 32;

export const taskMetadataSchema = z
  .record(z.string(), z.unknown(), { error: 'must be a JSON object, or the text of one' })
  .superRefine((metadata, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (exceedsDepth(MAX_METADATA_DEPTH, metadata)) refuse(`must nest at most ${MAX_METADATA_DEPTH} levels`);
    else if (JSON.stringify(metadata).length > MAX_METADATA_LENGTH)
      refuse(`must be at most ${MAX_METADATA_LENGTH} characters of JSON`);
  });

export type TaskMetadata = z.infer<typeof taskMetadataSchema>;

/**
 * The item with `metadata` merged into its own, field by field; undefined changes nothing.
 *
 * @throws BatonError `limit_size`.
 */
export function withMetadata<T extends { readonly id: number; readonly metadata?: unknown }>(
  item: T,
  metadata: TaskMetadata | undefined,
): T {
  if (metadata === undefined) return item;
  const merged = { ...(isRecord(item.metadata) ? item.metadata : {}), ...metadata } as JsonObject;
  const text = JSON.stringify(merged);
  if (text === JSON.stringify(item.metadata)) return item;
  if (text.length > MAX_METADATA_LENGTH)
    throw new BatonError(
      'limit_size',
      `The metadata of ${item.id} would be ${text.length} characters of JSON; ${MAX_METADATA_LENGTH} are allowed. Nothing was changed.`,
      { limit: 'metadata', most: MAX_METADATA_LENGTH },
    );
  return { ...item, metadata: merged };
}
