import { parseJson } from '@baton/protocol';
import { z } from 'zod';

export const MIN_SECRET_LENGTH = 16;

/** Each costs every process an HMAC for each key that calls, and a try for each seal that is not the current one's. */
const MAX_PREVIOUS_SECRETS = 4;

/**
 * BATON_SECRET_PREVIOUS: secrets separated by commas or line breaks, the latest first; as a JSON array of strings where one of them has
 * such a character itself, or begins with a bracket. Errors name a secret by its place, never by its text.
 */
export const previousSecretsSchema = z
  .string()
  .default('')
  .transform((text, context) => {
    const secrets = text.startsWith('[') ? parseJsonArray(text) : splitList(text);
    const problem = secrets === undefined ? 'is not a JSON array of strings' : problemOf(secrets);
    if (problem === undefined) return secrets ?? [];
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  });

function splitList(text: string): string[] {
  return text
    .split(/[,\r\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function parseJsonArray(text: string): string[] | undefined {
  try {
    return z.array(z.string()).parse(parseJson(text));
  } catch {
    return undefined;
  }
}

function problemOf(secrets: readonly string[]): string | undefined {
  if (secrets.length > MAX_PREVIOUS_SECRETS)
    return `has ${secrets.length} secrets, and may have ${MAX_PREVIOUS_SECRETS}: drop the oldest`;
  const short = secrets.findIndex((one) => one.length < MIN_SECRET_LENGTH);
  if (short >= 0) return `secret ${short + 1} must have at least ${MIN_SECRET_LENGTH} characters`;
  const again = secrets.findIndex((one, at) => secrets.indexOf(one) < at);
  if (again >= 0) return `secret ${again + 1} is in the list twice`;
  return undefined;
}
