import type { InteractionRecord, InteractionSummary, PageBounds } from '@baton/store';
import { describeInteractionWithRequest, summarizeInteraction } from './describe-interaction-with-request.ts';

/**
 * A page of requests goes into a model's context: 20,000 tokens at most. Two bytes of a request's JSON are estimated to be a token: of plain
 * words it is four, of identifiers and numbers two, and only of what holds no words, such as base64, less. What stands around it is 280.
 */
export const INTERACTION_PAGE_BOUNDS: PageBounds = { bytes: 38_000, itemBytes: 560 };

/** Interactions with their requests, as a list shows them: of one whose request alone is larger than a page only the summary, saying so. */
export function describeInteractionPage(records: readonly InteractionRecord[]): object[] {
  let room = INTERACTION_PAGE_BOUNDS.bytes;
  return records.map((record) => {
    const bytes = Buffer.byteLength(JSON.stringify(record.request));
    // A conversation's messages came to the request after the page was made.
    if (bytes > room) return { ...summarizeInteraction(withoutRequest(record)), warning: tooLarge(bytes) };
    room -= bytes;
    return describeInteractionWithRequest(record);
  });
}

function withoutRequest(record: InteractionRecord): InteractionSummary {
  const { request: _, ...call } = record.request.call;
  return { ...record, request: { call } };
}

function tooLarge(bytes: number): string {
  return `Its request has ${bytes} bytes, for which this page has no room; interactionId gives it whole.`;
}
