import { useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
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
  const [args, setArgs] = useState<unknown>(testCall.arguments);
  const [reply, setReply] = useState<Reply>();
  const run = async () => {
    setReply(undefined);
    setReply(await client.post<Reply>(testCall.path, testCall.bodyOf(args)));
    return '';
  };
  const below = reply !== undefined && <ReplyView of={reply} />;
  return (
    <ActionForm submit="Call" disabled={args === undefined} run={run} below={below}>
      <JsonField label="Arguments" initial={testCall.arguments} onValue={setArgs} rows={4} />
    </ActionForm>
  );
}

function ReplyView({ of: reply }: { of: Reply }) {
  return (
    <>
      {reply.interactionId !== undefined && (
        <p role="status">
          It waits for an LLM: <RowLink to={['interactions', reply.interactionId]} text="its request" />
          {reply.taskId !== undefined && (
            <>
              {' '}
              of <RowLink to={['tasks', reply.taskId]} text="its task" />
            </>
          )}
        </p>
      )}
      <pre tabIndex={0}>{readableText(reply)}</pre>
    </>
  );
}
