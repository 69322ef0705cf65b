import type { PromptSummary } from '@baton/agent-definitions';
import type { DefinitionEntry, StoredDefinition, TenantStore } from '@baton/store';
import type { Workflow } from '@baton/workflows';
import type { ListPromptsResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { findGuide, guideListing, guideNames } from './guides.ts';

/** The guides, and the tenant's workflows and public prompts, in pages by name: what is read is what the page shows. */
export async function listPrompts(
  { workflows, prompts }: TenantStore,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const [names, publicNames] = await Promise.all([workflows.names(), prompts.publicNames()]);
  const all = [...guideNames, ...names, ...publicNames].toSorted();
  const { items, ...next } = workflows.pageOfNames('prompts', all, cursor);
  const isOfPage = new Set(items);
  const ofPage = (of: readonly string[]) => of.filter((name) => isOfPage.has(name));
  const [read, { entries }] = await Promise.all([
    workflows.newest(ofPage(names)),
    prompts.entriesOf(ofPage(publicNames)),
  ]);
  const listed = new Map([
    ...entries.map((one) => [one.name, promptOf(one)] as const),
    ...read.map((one) => [one.name, promptOfWorkflow(one)] as const),
  ]);
  return {
    prompts: items.flatMap((name) => {
      const guide = findGuide(name);
      return (guide === undefined ? listed.get(name) : guideListing(guide)) ?? [];
    }),
    ...next,
  };
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
