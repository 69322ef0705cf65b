/**
 * Programs over the store: `run-first-segment` runs an operation's first segment in the gateway, `resume-task` every later one in a
 * worker. `local-effect` and `perform-local-effect` are the effects that need no wait, `collect-waits` and `open-waits` the others;
 * `segment-journal` is a segment's journal, `project-change` commits a command to a project.
 */
export { CallerSchemaValidator } from '@baton/answer-validation';
export { Programs } from './programs.ts';
export { commitCommand } from './project-change.ts';
export { importProject } from './import-project.ts';
export { readProject } from './read-project.ts';
export { completedStructuredContent } from './completed-structured-content.ts';
export { MAX_TRIES, resumeTask, type SegmentEnd } from './resume-task.ts';
export { type StartResult, runFirstSegment } from './run-first-segment.ts';
