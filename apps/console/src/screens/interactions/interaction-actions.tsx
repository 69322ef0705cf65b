import type { InteractionDetailReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { useAction } from '../../components/action.ts';
import { ActionResult } from '../../components/action-result.tsx';
import { Confirmation } from '../../components/confirmation.tsx';
import { useSession } from '../../session/session-context.ts';

const MINUTE_MS = 60_000;

/** What can be done to a pending interaction beside answering it. */
export function InteractionActions({
  interaction: { interactionId, provider },
  onChanged,
}: {
  interaction: InteractionDetailReply;
  onChanged: () => void;
}) {
  const { client } = useSession();
  const action = useAction();
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('30');
  const [isCancelling, setIsCancelling] = useState(false);
  const path = `/interactions/${encodeURIComponent(interactionId)}`;
  const run = (done: string, post: () => Promise<unknown>) =>
    action.start(async () => {
      await post();
      onChanged();
      return done;
    });
  const fail = (event: Event) => {
    event.preventDefault();
    const agentLLMResponse = { status: 'error', errorDetails: { message: reason } };
    void run('The failure is told.', () => client.post(`${path}/answer`, { agentLLMResponse }));
  };
  const extend = (event: Event) => {
    event.preventDefault();
    const ttlMs = Number(minutes) * MINUTE_MS;
    void run('The deadline is set.', () => client.post(`${path}/extend`, { ttlMs }));
  };
  return (
    <section aria-label="Other actions" class="other-actions">
      {provider !== true && (
        <form onSubmit={fail}>
          <label>
            Say that the LLM call failed
            <input
              required
              maxLength={2_000}
              placeholder="why"
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="secondary" disabled={action.isRunning}>
            Fail
          </button>
        </form>
      )}
      <form onSubmit={extend}>
        <label>
          Deadline, minutes from now
          <input
            type="number"
            required
            min={1}
            max={43_200}
            value={minutes}
            onInput={(event) => setMinutes(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="secondary" disabled={action.isRunning}>
          Extend
        </button>
      </form>
      <button
        type="button"
        class="secondary outline"
        disabled={action.isRunning}
        onClick={() => setIsCancelling(true)}
      >
        Cancel interaction
      </button>
      <ActionResult action={action} />
      {isCancelling && (
        <Confirmation
          question="Cancel this interaction? Its task goes on without an answer."
          confirm="Cancel interaction"
          onConfirm={() => {
            setIsCancelling(false);
            void run('The interaction is cancelled.', () => client.post(`${path}/cancel`));
          }}
          onClose={() => setIsCancelling(false)}
        />
      )}
    </section>
  );
}
