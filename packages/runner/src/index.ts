/**
 * Programs over the store: `start` runs an operation's first segment in the gateway, `resume` every later one in a worker.
 * `perform-effect` performs the effects that need no wait, `journal-buffer` is a segment's journal, `project-change` commits
 * a command to a project.
 */
export { AnswerValidator } from '@baton/answer-validation';
export { Programs } from './programs.ts';
export { commitCommand, importProject, readProject } from './project-change.ts';
export { completedResult } from './completed-result.ts';
export { MAX_TRIES, resumeTask, type SegmentEnd } from './resume-task.ts';
export { type StartResult, startOperation } from './start-operation.ts';
