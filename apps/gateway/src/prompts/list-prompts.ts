import type { PromptSummary } from '@baton/agent-definitions';
import type { DefinitionEntry, StoredDefinition, TenantStore } from '@baton/store';
import type { Workflow } from '@baton/workflows';
import type { ListPromptsResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { findGuide, guideListing, guideNames } from './guides.ts';

/** The guides, and the tenant's workflows and public prompts, in pages by name. Of a workflow and a prompt of one name it is the workflow. */
export async function listPrompts(
  { workflows, prompts }: TenantStore,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const [names, { entries }] = await Promise.all([
    workflows.names(),
    prompts.inTurn(() => prompts.entries()),
  ]);
  const shown = new Map(entries.filter(isPublic).map((entry) => [entry.name, entry]));
  const all = [...new Set([...guideNames, ...names, ...shown.keys()])].toSorted();
  const { items, ...next } = workflows.pageOfNames('prompts', all, cursor);
  const isWorkflow = new Set(names);
  const read = await workflows.newest(items.filter((name) => isWorkflow.has(name)));
  const listed = new Map(read.map((one) => [one.name, promptOfWorkflow(one)]));
  return {
    prompts: items.flatMap((name) => {
      const guide = findGuide(name);
      if (guide !== undefined) return guideListing(guide);
      const prompt = isWorkflow.has(name) ? undefined : shown.get(name);
      return (prompt === undefined ? listed.get(name) : promptOf(prompt)) ?? [];
    }),
    ...next,
  };
}

function isPublic({ summary }: DefinitionEntry): boolean {
  return summary['public'] === true;
}

function promptOf({ name, summary }: DefinitionEntry): Prompt {
  const { title, description, arguments: args } = summary as unknown as PromptSummary;
  return toPrompt({ name, title, description, arguments: args });
}

function promptOfWorkflow({ definition }: StoredDefinition): Prompt {
  return toPrompt(definition as unknown as Workflow);
}

function toPrompt({
  name,
  title,
  description,
  arguments: args,
}: Pick<Workflow, 'name' | 'title'> & {
  readonly description?: string | undefined;
  readonly arguments: PromptSummary['arguments'];
}): Prompt {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    arguments: args.map(({ name, description, required }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      required,
    })),
  };
}
