import { BatonError } from '@baton/protocol';

/** For a name of prompts/get that is none of a guide, a workflow or a public prompt. */
export function unknownPromptError(name: string): BatonError {
  const message = `There is no prompt '${name.slice(0, 100)}': no workflow, and no public prompt. List them with prompts/list.`;
  return new BatonError('prompt_not_found', message);
}
