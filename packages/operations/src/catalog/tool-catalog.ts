import { acceptIgnoredInTool } from '../tool-operations/accept-ignored-arguments.ts';
import { functionTools } from '../tools/function-tools.ts';
import type { ProjectTool } from '../tools/project-tool.ts';
import { generatePromptTool } from './prompt-tool.ts';

/** The tools that need no LLM, in the order in which they are listed. A new tool is one more entry of `functionTools`. */
export const projectTools: readonly ProjectTool[] = [...functionTools, generatePromptTool].map(
  acceptIgnoredInTool,
);
