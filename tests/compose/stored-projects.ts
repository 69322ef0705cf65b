import { findProjectViolations } from '../harness/guards/stored-projects.ts';
import type { ComposeStack } from './compose-stack.ts';

/** What all checks have left in the stack's Redis, past every kill and restart. */
export async function checkStoredProjects(stack: ComposeStack): Promise<string> {
  const { projects, violations } = await findProjectViolations(await stack.redisUrl());
  if (projects === 0) throw new Error('no project is stored');
  if (violations.length > 0) throw new Error(violations.slice(0, 20).join('\n'));
  return `${projects} projects`;
}
