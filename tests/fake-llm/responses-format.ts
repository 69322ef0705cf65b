import type { AnyJson } from '../harness/mcp-client.ts';
import { type ModelOutput, type ProviderFormat, splitText, USAGE } from './provider-formats.ts';

const isInstruction = ({ role }: AnyJson) => role === 'system' || role === 'developer';

/** OpenAI's responses (platform.openai.com/docs/api-reference/responses). */
export const responsesFormat: ProviderFormat = {
  api: 'openai-responses',
  parseRequest: ({ input }) => ({
    system: input
      .filter(isInstruction)
      .map(({ content }: AnyJson) => content)
      .join('\n'),
    messages: input.filter((item: AnyJson) => !isInstruction(item)),
  }),
  completion: (model, said) => ({ ...envelope(model, said), output: outputItems(said) }),
  streamEvents(model, said) {
    const started = { ...envelope(model, said), status: 'in_progress', output: [] };
    const items = outputItems(said).flatMap((item: AnyJson, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, content: [], arguments: '' } },
      ...deltasOf(item).map((delta) => ({ ...delta, item_id: item.id, output_index, content_index: 0 })),
      { type: 'response.output_item.done', output_index, item },
    ]);
    const events: AnyJson[] = [
      { type: 'response.created', response: started },
      ...items,
      {
        type: said.finishReason === undefined ? 'response.completed' : 'response.incomplete',
        response: this.completion(model, said),
      },
    ];
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  },
  errorBody: (status, message) => ({ error: { message, type: `error_${status}`, param: null, code: null } }),
};

function envelope(model: string, { finishReason }: ModelOutput) {
  return {
    id: 'resp-1',
    object: 'response',
    created_at: 1,
    model,
    status: finishReason === undefined ? 'completed' : 'incomplete',
    incomplete_details: finishReason === undefined ? null : { reason: finishReason },
    usage: {
      input_tokens: USAGE.input,
      output_tokens: USAGE.output,
      total_tokens: USAGE.input + USAGE.output,
    },
  };
}

function outputItems({ text, toolCalls, refusal }: ModelOutput): AnyJson[] {
  const content =
    refusal === undefined ? [{ type: 'output_text', text, annotations: [] }] : [{ type: 'refusal', refusal }];
  const words = { type: 'message', id: 'msg-1', role: 'assistant', status: 'completed', content };
  const calls = toolCalls.map(({ id, name, arguments: given }) => ({
    type: 'function_call',
    id: `fc-${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(given),
    status: 'completed',
  }));
  return [...(text === '' && refusal === undefined ? [] : [words]), ...calls];
}

/** An item as it is streamed: words, or arguments in pieces. */
function deltasOf(item: AnyJson): AnyJson[] {
  const refusal = item.content?.[0]?.refusal;
  if (refusal !== undefined)
    return [
      ...splitText(refusal).map((delta) => ({ type: 'response.refusal.delta', delta })),
      { type: 'response.refusal.done', refusal },
    ];
  const isCall = item.type === 'function_call';
  const type = isCall ? 'response.function_call_arguments.delta' : 'response.output_text.delta';
  return splitText(isCall ? item.arguments : item.content[0].text).map((delta) => ({ type, delta }));
}
