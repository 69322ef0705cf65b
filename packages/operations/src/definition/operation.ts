import type { ProgramDefinition } from '@baton/engine';
import type { z } from 'zod';
import type { IgnoredReport } from './ignored-arguments.ts';
import type { PromptText } from '../prompt-kit/prompt-text.ts';
import type { ChangedResource } from './changed-resources.ts';
import type { ToolCategory } from './tool-category.ts';

/** MCP's tool annotations (2025-11-25, server/tools). Hints, never a promise that anything enforces. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * A program that a tool call starts, with the tool's texts and schemas. Inputs are parsed with `input` at the
 * edge, once; the program runs over what came out. `result` describes the program's own fields of the finished
 * `structuredContent`; the runner adds `status`, `operation` and `taskId` when the task ends.
 */
export interface Operation<Input = unknown, Result = unknown> extends ProgramDefinition<Input> {
  readonly title: string;
  readonly category: ToolCategory;
  /** The kinds of resources that it makes or changes; its replies link those that its result names. */
  readonly changes?: readonly ChangedResource[];
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly result: z.ZodType<Result>;
  readonly hints: ToolHints;
  /** What a client of MCP 2026-07-28 must have declared: any other is refused (-32021). */
  readonly needs?: 'sampling' | 'tasks';
  /** A client that knows tasks is asked within its call as long as that asks, and given a task behind that. */
  readonly asksWithinCall?: true;
  /** The argument whose text the caller does not want back: the directive of the call leaves it out, the stored request has it. */
  unechoed?(input: Input): UnechoedText | undefined;
  /** The project that the answer changes, and how many bytes it grows at least: a call without room for that is refused before anything is delegated. */
  addsTo?(input: Input): ProjectGrowth | undefined;
  /** What of a parsed input is ignored; every reply to the call names it. */
  ignored?(input: Input): readonly IgnoredReport[];
  /** One sentence about a result, for clients that read only text. */
  summarize(result: Result): string;
}

/** A text that a caller gave, by the name of its argument. */
export interface UnechoedText {
  readonly argument: string;
  readonly text: string;
}

/** An operation that is a tool of every gateway, with what people read of it. */
export interface ToolOperation<Input = unknown, Result = unknown> extends Operation<Input, Result> {
  /** The fixed part of its prompt, which `baton://prompts/{operation}` shows and `generate_prompt` begins with. */
  readonly promptText: PromptText;
  /** What people may want to do after it, a sentence each. */
  readonly nextSteps: readonly string[];
}

/** The project that an answer changes, and bytes that it grows at least. */
export interface ProjectGrowth {
  readonly project: string;
  readonly growth: number;
}

/** 0 for what may make the project smaller: then only a project that does not exist yet needs room. */
export function projectGrowth(project: string, growth: 0 | 1 = 1): ProjectGrowth {
  return { project, growth };
}
