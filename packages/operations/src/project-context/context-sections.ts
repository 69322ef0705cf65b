import { delimitJsonLines, delimitText } from '@baton/agent-definitions';
import type { SeenItems } from '../project/index.ts';
import type { ProjectContext } from './project-context.ts';

/** What a read gave of the project. */
export interface JournaledProject {
  /** The tasks that the answer will change. */
  readonly seen?: SeenItems | undefined;
  readonly rules?: string | null | undefined;
  readonly context?: ProjectContext | undefined;
}

/** The project as parts of a request: all of it is data, but for the list of what was left out. */
export function projectSections(
  { rules, context = {} }: JournaledProject,
  plan: readonly object[] = [],
): (string | undefined)[] {
  const { techStack, requirements, omitted = [] } = context;
  const list = (name: keyof typeof FENCES, says: string) => {
    const items = (name === 'plan' ? plan : context[name]) ?? [];
    return items.length === 0 ? undefined : `${says}\n${delimitJsonLines(FENCES[name], items)}`;
  };
  return [
    rulesSection(rules),
    techStack && `The project is built with this; keep to it:\n${delimitText('tech-stack', techStack).block}`,
    requirements && `The project has to do this:\n${delimitText('requirements', requirements).block}`,
    list('needed', 'The work rests on these tasks. Rely on what those that are done have made:'),
    list('related', 'These tasks are the most similar ones. Fit in with them and repeat none of their work:'),
    list('waiting', 'These tasks wait for it:'),
    list('done', 'These other tasks were done last:'),
    list('plan', 'These are other tasks of the plan:'),
    omitted.length > 0
      ? `For want of room this request leaves out: ${omitted.join('; ')}. Whoever can call get_task and get_tasks reads them there.`
      : undefined,
  ];
}

const FENCES = {
  needed: 'needed-tasks',
  related: 'similar-tasks',
  waiting: 'waiting-tasks',
  done: 'done-tasks',
  plan: 'existing-tasks',
} as const;

/** The rules as a part of a request. They come from the project's owner, and yet they are data. */
function rulesSection(rules: string | null | undefined): string | undefined {
  if (!rules) return undefined;
  return `The project keeps to these rules; let your answer keep to them too:\n${delimitJsonLines('project-rules', [rules])}`;
}
