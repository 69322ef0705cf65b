import type { CallerSchemaValidator } from '@baton/answer-validation';
import type { FencedSegment } from '@baton/store/shards';
import type { SegmentJournal } from './segment-journal.ts';
import type { ProjectSnapshots } from './project/project-snapshots.ts';

/** Another run has taken the task over: what this one knows of it is void. */
export class StaleSegmentError extends Error {}

/** What the effects of one segment work on. */
export interface SegmentContext {
  readonly validator: CallerSchemaValidator;
  readonly segment: FencedSegment;
  readonly journal: SegmentJournal;
  readonly projects: ProjectSnapshots;
}
