import type { Identity, StreamSoFar, TenantStore } from '@baton/store';
import { z } from 'zod';

/** Answers that are being streamed, as a task shows them: so many of them, the first that were asked for. */
const MAX_STREAMS = 4;

export const streamedTextSchema = z.object({
  interactionId: z.string(),
  text: z
    .string()
    .describe('What came so far, up to the first chunk that is missing: its last 32 KiB at most'),
  chunks: z.number().describe('How many chunks that is, those before `text` included'),
  complete: z.literal(false),
});
export type StreamedText = z.infer<typeof streamedTextSchema>;

export const streamingSchema = z
  .array(streamedTextSchema)
  .describe(`Answers that are being streamed, ${MAX_STREAMS} at most`);

/** Reads what came so far of answers that may be streamed, by the ids of their interactions. */
export async function readStreamedTexts(
  tenant: TenantStore,
  identity: Identity,
  streams: readonly string[],
): Promise<StreamedText[]> {
  const read = await Promise.all(
    streams.slice(0, MAX_STREAMS).map(async (interactionId) => ({
      interactionId,
      soFar: await tenant.interactions.readStream(identity, interactionId),
    })),
  );
  return read.flatMap(({ interactionId, soFar }) => streamedText(interactionId, soFar));
}

function streamedText(interactionId: string, { posted, chunks, text }: StreamSoFar): StreamedText[] {
  return posted === 0 ? [] : [{ interactionId, text, chunks, complete: false }];
}
