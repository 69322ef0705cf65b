/**
 * Fields that hosts put among the arguments of any tool, for themselves: Cline's progress of a task, Cursor's stand-in for a tool without
 * arguments and its reason for a call, n8n's names of its run, Windsurf's and OpenHands' notes of what a call is for. A tool that has an
 * argument of the name keeps it. docs/clients.md lists them.
 */
export const HOST_FIELDS: readonly string[] = [
  'task_progress',
  'random_string',
  'explanation',
  'toolCallId',
  'sessionId',
  'chatInput',
  'action',
  'tool',
  'toolAction',
  'toolSummary',
  'waitForPreviousTools',
  'requires_approval',
  'security_risk',
];

const NAMES: ReadonlySet<string> = new Set(HOST_FIELDS);

export function isHostField(name: string): boolean {
  return NAMES.has(name);
}
