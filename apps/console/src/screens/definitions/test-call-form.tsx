import { useState } from 'preact/hooks';
import { useAction } from '../../components/action.ts';
import { ActionResult } from '../../components/action-result.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { readableText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { useSession } from '../../session/session-context.ts';
import type { TestCall } from './definition-kind.ts';

interface Reply {
  readonly taskId?: string;
  readonly interactionId?: string;
}

/** A call with arguments as they are typed. Where it waits for an LLM, its request is linked to. */
export function TestCallForm({ testCall }: { testCall: TestCall }) {
  const { client } = useSession();
  const action = useAction();
  const [args, setArgs] = useState<unknown>(testCall.arguments);
  const [reply, setReply] = useState<Reply>();
  const submit = (event: Event) => {
    event.preventDefault();
    void action.start(async () => {
      setReply(undefined);
      setReply(await client.post<Reply>(testCall.path, testCall.bodyOf(args)));
      return '';
    });
  };
  return (
    <form onSubmit={submit}>
      <JsonField label="Arguments" initial={testCall.arguments} onValue={setArgs} rows={4} />
      <button type="submit" class="small" disabled={args === undefined || action.isRunning}>
        Call
      </button>
      <ActionResult action={action} />
      {reply?.interactionId !== undefined && (
        <p role="status">
          It waits for an LLM: <RowLink to={`/interactions/${reply.interactionId}`} text="its request" />
          {reply.taskId !== undefined && (
            <>
              {' '}
              of <RowLink to={`/tasks/${reply.taskId}`} text="its task" />
            </>
          )}
        </p>
      )}
      {reply !== undefined && <pre tabIndex={0}>{readableText(reply)}</pre>}
    </form>
  );
}
