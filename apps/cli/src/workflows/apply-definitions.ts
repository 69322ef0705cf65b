import { BatonError, isRecord } from '@baton/protocol';
import { findDefinitionFiles, readDefinitionFile } from './definition-files.ts';
import type { WorkflowClient } from './workflow-client.ts';

/** What is wrong with a file: the step and the field where it is theirs. */
interface FileProblem {
  readonly step?: string;
  readonly field?: string;
  readonly problem: string;
}

/** What became of a file. */
export type AppliedFile =
  | { readonly file: string; readonly name: string; readonly version: number }
  | { readonly file: string; readonly problems: readonly FileProblem[] };

/** Puts each definition; one that is refused keeps no other back. Errors: those of the client that are about no definition. */
export async function applyDefinitions(
  client: WorkflowClient,
  paths: readonly string[],
): Promise<AppliedFile[]> {
  const applied: AppliedFile[] = [];
  for (const path of findDefinitionFiles(paths)) applied.push(await applyFile(client, path));
  return applied;
}

async function applyFile(client: WorkflowClient, path: string): Promise<AppliedFile> {
  const read = readDefinitionFile(path);
  if ('problem' in read) return { file: path, problems: [{ problem: read.problem }] };
  try {
    const { version } = await client.put(read.name, read.definition);
    return { file: path, name: read.name, version };
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.row.repeat) throw thrown;
    const { issues } = thrown.details;
    const problems = Array.isArray(issues) ? issues.filter(isProblem) : [];
    return { file: path, problems: problems.length > 0 ? problems : [{ problem: thrown.message }] };
  }
}

function isProblem(issue: unknown): issue is FileProblem {
  return isRecord(issue) && typeof issue['problem'] === 'string';
}

/** One line for each problem: file, step, field and what is wrong. */
export function problemLines({ file, problems }: Extract<AppliedFile, { problems: unknown }>): string[] {
  return problems.map(({ step, field, problem }) =>
    [file, step === undefined ? '' : `step '${step}'`, field ?? '', problem].filter(Boolean).join(': '),
  );
}
