import { type Command, InvalidArgumentError } from 'commander';

/** The options of every command that talks to a Baton. */
export function withEndpoint(command: Command): Command {
  return command
    .option('--url <url>', "Baton's address (BATON_URL; that of baton dev in this folder)")
    .option('--key <key>', 'an API key of the tenant (BATON_API_KEY)')
    .option('--tenant <id>', 'of an operator: the tenant that is meant (with BATON_OPERATOR_TOKEN)')
    .option('--json', 'print JSON');
}

/** What carries out the actions of a command: each by its name, with its operands and flags. Gives the exit code. */
type Run<Action extends string, Flags> = (
  action: Action,
  operands: readonly string[],
  flags: Flags,
  environment: NodeJS.ProcessEnv,
) => Promise<number>;

/** An action of `parent`; its code is loaded when it runs. `words` are its name and its operands. */
export function addAction<Action extends string, Flags extends object>(
  parent: Command,
  words: NoInfer<Action> | `${NoInfer<Action>} ${string}`,
  description: string,
  load: () => Promise<Run<Action, Flags>>,
  isDefault = false,
): Command {
  const command = withEndpoint(parent.command(words, { isDefault }).description(description));
  // The default action is given what names no other one.
  if (isDefault) command.allowExcessArguments();
  return command.action(async () => {
    if (command.args.length > command.registeredArguments.length) failUnknown(parent, command.args);
    const run = await load();
    process.exitCode = await run(command.name() as Action, command.args, command.opts<Flags>(), process.env);
  });
}

function failUnknown(parent: Command, [given]: readonly string[]): never {
  const names = parent.commands.map((one) => one.name());
  return parent.error(`error: '${parent.name()}' has no command '${given}'. It has: ${names.join(', ')}.`);
}

/** Whose, and how old: see readOriginFilter. */
export function withOrigin(command: Command): Command {
  return command
    .option('--principal <name>', 'only those of calls of this principal')
    .option('--older-than <age>', 'only those that were created before that: 30s, 90m, 2h or 7d ago')
    .option('--newer-than <age>', 'only those that were created since then');
}

/** Of an option that may be given again and again. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Reads an option that takes one of `values`: of another one its flag, its value and these are told, and the command ends with 64. */
export function oneOf(...values: readonly string[]): (value: string) => string {
  return (value) => {
    if (values.includes(value)) return value;
    throw new InvalidArgumentError(`It is one of: ${values.filter(Boolean).join(', ')}.`);
  };
}

/** The same of an option that may be given again and again. */
export function repeatedOneOf(
  ...values: readonly string[]
): (value: string, before?: readonly string[]) => readonly string[] {
  const read = oneOf(...values);
  return (value, before) => repeated(read(value), before);
}
