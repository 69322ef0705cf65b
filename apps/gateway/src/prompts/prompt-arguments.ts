import { BatonError } from '@baton/protocol';

interface TakesArguments {
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

/** Arguments of prompts are texts: a number or boolean is read as its text, null as left out. What else there is stays as it came. */
export function coercePromptArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        name,
        typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
      ]),
  );
}

/** Refuses arguments that a prompt does not have, and the lack of one that it needs. Errors: `invalid_arguments`. */
export function requireArguments(prompt: TakesArguments, args: Readonly<Record<string, string>>): void {
  const known = new Set(prompt.arguments.map(({ name }) => name));
  const unknown = Object.keys(args).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw promptArgumentError(
      unknown.slice(0, 100),
      `the prompt has no such argument; it has ${[...known].join(', ') || 'none'}`,
    );
  }
  const missing = prompt.arguments.find(({ name, required }) => required && !Object.hasOwn(args, name));
  if (missing !== undefined) throw promptArgumentError(missing.name, 'is required');
}

/** `name` is the argument that is wrong; empty for all of them. */
export function promptArgumentError(name: string, problem: string): BatonError {
  const field = name === '' ? 'arguments' : `arguments.${name}`;
  return new BatonError('invalid_arguments', `${field}: ${problem}`, { field });
}
