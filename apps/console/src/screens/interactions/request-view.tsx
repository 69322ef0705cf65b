import type { InteractionDetailReply } from '@baton/gateway/reply-types';
import { readableText } from '../../components/plain-text.ts';

/** What is asked: the messages, each with its role, then the schema and the other parameters. */
export function RequestView({ of: { llmRequestForAgent } }: { of: InteractionDetailReply }) {
  const { messages, schema, ...parameters } = llmRequestForAgent;
  return (
    <>
      {readMessages(messages).map(({ role, content }, at) => (
        <section key={at} class="message">
          <h3>{readableText(role)}</h3>
          <pre tabIndex={0}>{readableText(content)}</pre>
        </section>
      ))}
      {schema !== undefined && (
        <section>
          <h3>Schema of the answer</h3>
          <pre tabIndex={0}>{readableText(schema)}</pre>
        </section>
      )}
      <section>
        <h3>Parameters</h3>
        <pre tabIndex={0}>{readableText(parameters)}</pre>
      </section>
    </>
  );
}

function readMessages(messages: unknown): readonly { role: unknown; content: unknown }[] {
  return Array.isArray(messages) ? messages : [];
}
