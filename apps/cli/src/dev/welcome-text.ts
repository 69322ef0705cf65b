import { maskUrlPasswords } from '@baton/protocol';
import type { DevFile } from '../settings/dev-file.ts';

/** What `baton dev` shows once it is up: where it is, the key, and the next thing to type. */
export function welcomeText(
  dev: DevFile,
  signInLink: string,
  path: string,
  redis: string,
  written: boolean,
): string {
  return `
  Baton is up.

    MCP      ${dev.mcpUrl}
    API key  ${dev.apiKey}
    Console  ${signInLink}
             signs in once, within 12 hours
    Redis    ${redis}, ${maskUrlPasswords(dev.redisUrl)}
    ${written ? 'Written' : 'Joined '}  ${path} (${written ? 'the key, the operator token, all of it' : 'which still names the Baton that was there first'})

  Try it, in a second terminal in this folder: list the tasks of the sample project

    npx baton call get_tasks projectRoot=sample

  What waits for an LLM is told here, with how to answer it.

  The README goes on from here: your first delegation. Ctrl-C stops Baton; its data stays.
`;
}
