import { toPromptDefinition, renderPrompt } from '@baton/agent-definitions';
import { BatonError } from '@baton/protocol';
import type { GetPromptRequest, GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import type { AdmittedCall } from '../call/call.ts';

/**
 * A public prompt with its arguments filled in, or, where it has none, with the words that a host passes behind it; undefined where there is none of the name. MCP's prompts have no system messages: it
 * comes first, as the user's. Errors: `invalid_arguments` naming the argument.
 */
export async function getPublicPrompt(
  { name, arguments: args = {} }: GetPromptRequest['params'],
  { tenant }: AdmittedCall,
): Promise<GetPromptResult | undefined> {
  const stored = await tenant.prompts.get(name).catch((thrown: unknown) => {
    if (thrown instanceof BatonError && thrown.code === 'prompt_not_found') return undefined;
    throw thrown;
  });
  const prompt = stored && toPromptDefinition(stored);
  if (prompt === undefined || !prompt.public) return undefined;
  const words = prompt.arguments.length === 0 ? Object.values(args) : [];
  const rendered = renderPrompt(prompt, words.length === 0 ? args : {});
  const messages = rendered.map(({ role, content }) => ({
    role: 'user' as const,
    content: { type: 'text' as const, text: role === 'user' ? [content, ...words].join('\n\n') : content },
  }));
  return { ...(prompt.description === undefined ? {} : { description: prompt.description }), messages };
}
