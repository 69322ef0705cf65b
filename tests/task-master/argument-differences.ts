import { readFileSync } from 'node:fs';
import type { AnyJson } from '../harness/mcp-client.ts';

/** An argument as infra/scripts/task-master-definitions.mjs writes it. */
interface Argument {
  readonly type: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Argument;
  readonly required: boolean;
}
export type Arguments = Readonly<Record<string, Argument>>;

/** claude-task-master's tools by name, with their arguments. */
export const TASK_MASTER_TOOLS = (
  JSON.parse(readFileSync('tests/fixtures/task-master/tools.json', 'utf8')) as {
    tools: Record<string, Arguments>;
  }
).tools;

/** How Baton's tools differ from claude-task-master's: "<tool>", "<tool>.<argument>: <how>". */
export function differencesOf(listed: readonly AnyJson[]): string[] {
  const tools = new Map(listed.map((tool) => [tool.name as string, tool.inputSchema]));
  return Object.entries(TASK_MASTER_TOOLS).flatMap(([name, theirs]) => {
    const ours = tools.get(name);
    if (ours === undefined) return [`${name}: missing`];
    const found = Object.entries(theirs).flatMap(([argument, is]) =>
      differencesOfArgument(is, ours.properties[argument], (ours.required ?? []).includes(argument)).map(
        (how) => `${name}.${argument}: ${how}`,
      ),
    );
    const added = Object.keys(ours.properties).filter((argument) => !(argument in theirs));
    return [
      ...found,
      ...added.map(
        (argument) =>
          `${name}.${argument}: ${ours.required?.includes(argument) ? 'added and required' : 'added'}`,
      ),
    ];
  });
}

function differencesOfArgument(theirs: Argument, ours: AnyJson, isRequired: boolean): string[] {
  if (ours === undefined) return ['missing'];
  const words = wordsOf(ours);
  return [
    ...(isRequired && !theirs.required ? ['required'] : []),
    ...(!isRequired && theirs.required ? ['optional'] : []),
    ...([theirs.type].flat().every((type) => typesOf(ours).includes(type)) ? [] : ['other type']),
    ...(words.length > 0 && !(theirs.enum ?? ['any text']).every((word) => words.includes(word))
      ? ['fewer words']
      : []),
  ];
}

/** The JSON types that a schema takes. */
function typesOf(schema: AnyJson): string[] {
  const types: string[] = [schema.type ?? [], ...(schema.anyOf ?? []).map(typesOf)].flat();
  return types.includes('number') ? [...types, 'integer'] : types;
}

function wordsOf(schema: AnyJson): string[] {
  return schema.enum ?? (schema.anyOf ?? []).flatMap(wordsOf);
}
