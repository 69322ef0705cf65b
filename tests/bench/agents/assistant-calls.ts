import { callToolForContent, type Endpoint } from '../processes/project-calls.ts';

/** A pending request as replies show it. */
interface Pending {
  readonly interactionId: string;
  readonly llmRequestForAgent: object;
  readonly pendingInteractions?: readonly { readonly interactionId: string }[];
}

interface Outcome {
  readonly status: string;
  readonly pending?: Pending;
  readonly result?: { readonly conversationId: string };
}

/** Gives the assistant a message; returns its request. */
export function ask(at: Endpoint, message: string, conversationId?: string): Promise<Pending> {
  return callToolForContent(at, 'ask_assistant', {
    message,
    ...(conversationId === undefined ? {} : { conversationId }),
  });
}

/** A pending request of which a reply told the id alone. */
export async function fetchRequest(at: Endpoint, interactionId: string): Promise<Pending> {
  const { interactions } = await callToolForContent<{ interactions: Pending[] }>(at, 'pending_interactions', {
    interactionId,
  });
  const [found] = interactions;
  if (found === undefined) throw new Error(`there is no interaction ${interactionId}`);
  return found;
}

/** Answers a request, and waits for what its task comes to. */
export async function answer(at: Endpoint, interactionId: string, data: object): Promise<Outcome> {
  const args = { interactionId, agentLLMResponse: { status: 'success', data }, waitMs: 20_000 };
  return (await callToolForContent<{ outcome: Outcome }>(at, 'agent_llm', args)).outcome;
}

/** Gives a message and answers it; returns the conversation. Errors: when the task has not completed. */
export async function talk(at: Endpoint, message: string, said: string, conversationId?: string) {
  const { interactionId } = await ask(at, message, conversationId);
  const { status, result } = await answer(at, interactionId, { text: said });
  if (status !== 'completed' || result === undefined) throw new Error(`a turn is ${status}`);
  return result.conversationId;
}
