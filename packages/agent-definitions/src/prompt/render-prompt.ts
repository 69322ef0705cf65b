import { BatonError } from '@baton/protocol';
import type { PromptInput } from './prompt.ts';
import { fillTemplate } from './template.ts';

/** A message in words. */
export interface TextMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** The messages that a prompt begins with. Errors: `invalid_arguments` naming the argument. */
export function renderPrompt(
  prompt: Pick<PromptInput, 'text' | 'system' | 'arguments'>,
  args: Readonly<Record<string, string>>,
): TextMessage[] {
  requireArguments(prompt, args);
  const { text, system } = prompt;
  const user: TextMessage = { role: 'user', content: fillTemplate(text, args) };
  return system === undefined ? [user] : [{ role: 'system', content: fillTemplate(system, args) }, user];
}

/** The values of a prompt's arguments. Errors: `invalid_arguments` naming one that is unknown, missing or no string. */
export function requireArguments(
  { arguments: declared }: Pick<PromptInput, 'arguments'>,
  args: Readonly<Record<string, unknown>>,
): void {
  const names = declared.map(({ name }) => name);
  for (const [name, value] of Object.entries(args)) {
    if (!names.includes(name))
      throw refusal(
        name.slice(0, 100),
        `the prompt has no such argument; it has ${names.join(', ').slice(0, 500) || 'none'}`,
      );
    if (typeof value !== 'string') throw refusal(name, 'must be a string');
  }
  const missing = declared.find(({ name, required }) => required && !Object.hasOwn(args, name));
  if (missing !== undefined) throw refusal(missing.name, 'is required');
}

function refusal(name: string, problem: string): BatonError {
  const field = `arguments.${name}`;
  return new BatonError('invalid_arguments', `${field}: ${problem}`, { field });
}
