import type { CallerSchemaValidator } from '@baton/answer-validation';
import type { FencedSegment } from '@baton/store/shards';
import type { SegmentJournal } from './segment-journal.ts';

/** Another run has taken the task over: what this one knows of it is void. */
export class StaleSegmentError extends Error {}

/** What the effects of one segment work on. */
export interface SegmentContext {
  readonly validator: CallerSchemaValidator;
  readonly segment: FencedSegment;
  readonly journal: SegmentJournal;
  /** When the segment began, by `performance.now()`: what it reads is as it was then, or later. */
  readonly beganAt: number;
}
