import { BatonError, isRecord } from '@baton/protocol';
import type { RestClient } from '../rest/rest-client.ts';
import { type DefinitionFile, findDefinitionFiles, readDefinitionFile } from './definition-files.ts';
import type { DefinitionKind } from './definition-kind.ts';

/** What is wrong with a file: the step and the field where it is theirs. */
interface FileProblem {
  readonly step?: string;
  readonly field?: string;
  readonly problem: string;
}

interface PutReply {
  readonly version: number;
  /** Fields of the definition that have no place in Baton. */
  readonly ignored?: readonly string[];
}

/** What became of a file. */
type AppliedFile =
  | ({ readonly file: string; readonly name: string } & PutReply)
  | { readonly file: string; readonly problems: readonly FileProblem[] };

/** Puts each definition, or with `dryRun` asks whether it would be taken; one that is refused keeps no other back. Errors: those of the client that are about no definition. */
export async function applyDefinitions(
  tenant: RestClient,
  kind: DefinitionKind,
  paths: readonly string[],
  dryRun = false,
): Promise<AppliedFile[]> {
  const read = findDefinitionFiles(paths).map((path) => readDefinitionFile(path, kind.nameIn));
  const results = new Map<DefinitionFile, AppliedFile>();
  const files = new Map<string, string>();
  for (const file of read.toSorted((a, b) => orderOf(kind, a) - orderOf(kind, b))) {
    const other = 'name' in file ? files.get(file.name) : undefined;
    if ('name' in file && other === undefined) files.set(file.name, file.path);
    results.set(
      file,
      other === undefined ? await applyFile(tenant, kind, file, dryRun) : refuseSecond(file, kind, other),
    );
  }
  return read.flatMap((file) => results.get(file) ?? []);
}

function orderOf(kind: DefinitionKind, file: DefinitionFile): number {
  return 'definition' in file && kind.comesFirst(file.definition) ? 0 : 1;
}

function refuseSecond({ path }: DefinitionFile, { key }: DefinitionKind, other: string): AppliedFile {
  return {
    file: path,
    problems: [{ field: key, problem: `is that of ${other} too; only that one was stored` }],
  };
}

async function applyFile(
  tenant: RestClient,
  kind: DefinitionKind,
  read: DefinitionFile,
  dryRun: boolean,
): Promise<AppliedFile> {
  const { path } = read;
  if ('problem' in read) return { file: path, problems: [{ problem: read.problem }] };
  try {
    const route = `/${kind.plural}/${encodeURIComponent(read.name)}${dryRun ? '?dryRun=true' : ''}`;
    return {
      file: path,
      name: read.name,
      ...(await tenant.request<PutReply>('PUT', route, read.definition)),
    };
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
