/** The field `program` of a task: its operation and its version. */
export function formatProgramField({ operation, version }: { operation: string; version: number }): string {
  return `${operation} ${version}`;
}

export function parseProgramField(field: string | null | undefined): { operation: string; version: number } {
  const [operation = '', version] = (field ?? '').split(' ');
  return { operation, version: Number(version) };
}
