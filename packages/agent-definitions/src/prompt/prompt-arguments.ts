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

/**
 * Refuses arguments that a prompt does not have, and the lack of one that it needs: hosts send '' for what their user left blank. `field` is where
 * the caller gave them. Errors: `invalid_arguments`.
 */
export function requirePromptArguments(
  prompt: TakesArguments,
  args: Readonly<Record<string, string>>,
  field = 'arguments',
): void {
  const known = prompt.arguments.map(({ name }) => name);
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw promptArgumentError(
      unknown.slice(0, 100),
      `the prompt has no such argument; it has ${known.join(', ').slice(0, 500) || 'none'}`,
      field,
    );
  }
  const missing = prompt.arguments.find(
    ({ name, required }) => required && (!Object.hasOwn(args, name) || args[name]?.trim() === ''),
  );
  if (missing !== undefined) throw promptArgumentError(missing.name, 'is required', field);
}

/** `name` is the argument that is wrong; empty for all of them. */
export function promptArgumentError(name: string, problem: string, given = 'arguments'): BatonError {
  const field = name === '' ? given : `${given}.${name}`;
  return new BatonError('invalid_arguments', `${field}: ${problem}`, { field });
}
