/**
 * Programs over the store: `run-first-segment` runs an operation's first segment in the gateway, or `open-ready-task` leaves it to a worker,
 * where `resume-task` runs every later one. `perform-local-effect` has the effects that need no wait, `collect-waits`, `route-waits` and `open-waits` the others;
 * `segment-journal` is a segment's journal. `project` reads and changes projects: a `project-snapshot` reads as much of one
 * as is looked at, `project-change` commits a command, `metrics` counts what gateways and workers do alike, `time-slices` bounds how long either holds the event loop.
 */
export { CallerSchemaValidator } from '@baton/answer-validation';
export { TaskMetrics } from './metrics/task-metrics.ts';
export { Programs } from './programs.ts';
export { type CommandOutcome, runCommand } from './project/run-command.ts';
export { exportProject } from './project/export-project.ts';
export { importProject } from './project/import-project.ts';
export { viewProject } from './project/view-project.ts';
export { completedStructuredContent } from './completed-structured-content.ts';
export { MAX_TRIES, resumeTask, type SegmentEnd } from './resume-task.ts';
export { openReadyTask } from './open-ready-task.ts';
export { type StartResult, runFirstSegment } from './run-first-segment.ts';
