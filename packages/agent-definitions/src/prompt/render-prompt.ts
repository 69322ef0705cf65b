import { requirePromptArguments } from './prompt-arguments.ts';
import type { PromptInput } from './prompt.ts';
import { fillTemplate } from './template.ts';

/** A message in words. */
export interface TextMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** The messages that a prompt begins with; `field` is where its arguments were given. Errors: `invalid_arguments` naming the argument. */
export function renderPrompt(
  prompt: Pick<PromptInput, 'text' | 'system' | 'arguments'>,
  args: Readonly<Record<string, string>>,
  field?: string,
): TextMessage[] {
  requirePromptArguments(prompt, args, field);
  const { text, system } = prompt;
  const user: TextMessage = { role: 'user', content: fillTemplate(text, args) };
  return system === undefined ? [user] : [{ role: 'system', content: fillTemplate(system, args) }, user];
}
