import type { JsonObject } from '../json/json.ts';
import type { DelegatedCall } from '../delegation/delegation.ts';
import { messageText } from '../delegation/message.ts';

/** Params of `elicitation/create` in its form mode (MCP 2025-11-25, client/elicitation; the same in 2026-07-28). */
export interface ElicitRequest {
  readonly message: string;
  readonly requestedSchema: JsonObject;
}

/** A question to a person as `elicitation/create`. A reply that did not fit stands in its messages, with what was wrong. */
export function toElicitRequest({ request }: Pick<DelegatedCall, 'request'>): ElicitRequest {
  const said = request.messages.filter(({ role }) => role === 'user');
  return {
    message: said.map(messageText).join('\n\n'),
    requestedSchema: request.schema ?? { type: 'object', properties: {} },
  };
}
