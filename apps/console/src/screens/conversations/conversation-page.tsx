import type { ConversationDetailReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { useLiveValue } from '../../live/use-live-value.ts';
import { LiveState } from '../../components/live-state.tsx';
import { plainText, readableText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';

type Message = ConversationDetailReply['dialog'][number];

/** A conversation as it ran, in parts as the server gives them: messages, calls of specialists and functions, and what they returned. */
export function ConversationPage({ id }: { id: string }) {
  const session = useSession();
  const [from, setFrom] = useState(0);
  const path = `/conversations/${encodeURIComponent(id)}`;
  const live = useLiveValue(session, `${path} ${from}`, (signal) =>
    session.client.get<ConversationDetailReply>(path, { from }, signal),
  );
  const conversation = live.value;
  return (
    <>
      <h1>{plainText(conversation?.title ?? id)}</h1>
      <LiveState live={live} />
      {conversation !== undefined && (
        <>
          <ol class="dialog" start={conversation.first + 1}>
            {conversation.dialog.map((message, at) => (
              <li key={conversation.first + at} class="message">
                <strong>{plainText(String(message.role))}</strong>
                <pre tabIndex={0}>{readableText(contentOf(message))}</pre>
              </li>
            ))}
          </ol>
          <div class="actions">
            {from > 0 && (
              <button type="button" class="small secondary" onClick={() => setFrom(0)}>
                From the beginning
              </button>
            )}
            {conversation.next !== undefined && (
              <button type="button" class="small" onClick={() => setFrom(conversation.next ?? 0)}>
                Further messages
              </button>
            )}
          </div>
        </>
      )}
    </>
  );
}

/** Words by themselves as words; whatever else a message has beside its role as JSON. */
function contentOf({ role: _role, content, ...more }: Message): unknown {
  return Object.keys(more).length === 0 ? content : { content, ...more };
}
