import type { PromptInput } from './prompt.ts';

/** What lists show of a prompt: kept beside its versions. */
export type PromptSummary = Pick<PromptInput, 'title' | 'description' | 'public'> & {
  readonly arguments: PromptInput['arguments'];
};

export function promptSummaryOf(prompt: PromptInput): PromptSummary {
  const { title, description, public: isPublic, arguments: args } = prompt;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    public: isPublic,
    arguments: args,
  };
}
