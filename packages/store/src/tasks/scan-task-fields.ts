import { refusalError } from '../records/refusal-error.ts';
import { SCAN_TASK_FIELDS } from '../scripts/registry.ts';
import { runScript, type ScriptRunner } from '../scripts/script.ts';

/** Whoever may read the task: its principal, or a caller with the scope `agent`. */
interface Reader {
  readonly principal: string;
  readonly scopes: string;
}

/**
 * Reads a task's fields but those of its interactions, in pages that are bounded in fields and bytes; ends once `most`
 * bytes were read. What changes meanwhile may be read as it was or as it is. Errors: `task_not_found`.
 */
export async function scanTaskFields(
  connection: ScriptRunner,
  task: string,
  taskId: string,
  { principal, scopes }: Reader,
  most = Infinity,
): Promise<Map<string, string>> {
  const fields = new Map<string, string>();
  let bytes = 0;
  for (let cursor = ''; cursor !== '0' && bytes <= most; ) {
    const reply = (await runScript(
      { connection, keys: { task } },
      SCAN_TASK_FIELDS,
      {},
      { principal, scopes, cursor: cursor || '0' },
    )) as string[];
    if (reply[0] !== 'ok') throw refusalError(reply, { taskId });
    cursor = reply[1] ?? '0';
    for (let at = 2; at + 1 < reply.length; at += 2) {
      const value = reply[at + 1] ?? '';
      fields.set(reply[at] ?? '', value);
      bytes += value.length;
    }
  }
  return fields;
}
