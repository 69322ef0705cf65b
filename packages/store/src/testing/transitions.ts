import { readLua } from '../scripts/lua-source.ts';
import { ALL_SCRIPTS } from './all-scripts.ts';

/** One step of a task or an interaction from one status to another, and the script that takes it; `new` is none yet. */
export interface Transition {
  readonly of: 'task' | 'interaction';
  readonly from: string;
  readonly to: string;
  readonly by: string;
}

/** Every step, as the headers of the scripts have it: `-- Transitions: task working -> failed, interaction new -> pending`. */
export const TRANSITIONS: readonly Transition[] = [...ALL_SCRIPTS.values()].flatMap(({ name }) =>
  headerTransitions(name),
);

function headerTransitions(script: string): Transition[] {
  const [, text = ''] = /^-- Transitions: ((?:.*\n)(?:-- {4,}.*\n)*)/m.exec(readLua(script)) ?? [];
  const steps = text.split(/,|\n/).flatMap((part) => part.replace(/^-- /, '').trim() || []);
  return steps.map((step) => {
    const [, of, from, to] = /^(task|interaction) (\w+) -> (\w+)$/.exec(step) ?? [];
    if (of === undefined || from === undefined || to === undefined)
      throw new Error(`the header of ${script} has the transition '${step}'`);
    return { of: of as Transition['of'], from, to, by: script };
  });
}

/** Throws for a step that no header has; a status may stay as it is. */
export function requireTransition(of: Transition['of'], from: string, to: string): void {
  if (from === to || TRANSITIONS.some((one) => one.of === of && one.from === from && one.to === to)) return;
  throw new Error(`no script takes a ${of} from '${from}' to '${to}'`);
}
