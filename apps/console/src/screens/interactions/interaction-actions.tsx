import type { InteractionDetailReply, InteractionReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import type { RunAction } from '../../components/action/action.ts';
import { useConfirmation } from '../../components/action/confirmation.tsx';
import { ConfirmedButton } from '../../components/action/confirmed-button.tsx';
import { isAdmin } from '../../session/session.ts';
import { useSession } from '../../session/session-context.ts';

const MINUTE_MS = 60_000;

/** What can be done to a pending interaction beside answering it. */
export function InteractionActions({
  interaction: { interactionId, provider, principal, expiresAt },
  run,
  isRunning,
}: {
  interaction: InteractionDetailReply;
  run: RunAction;
  isRunning: boolean;
}) {
  const session = useSession();
  const { client } = session;
  // The server lets others answer it, and not take it back.
  const mayCancel = principal === session.who || isAdmin(session);
  const { ask, dialog } = useConfirmation();
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('30');
  const path = `/interactions/${encodeURIComponent(interactionId)}`;
  const post = (done: string, action: string, body?: object) =>
    run(async () => {
      await client.post(`${path}/${action}`, body);
      return done;
    });
  const fail = (event: Event) => {
    event.preventDefault();
    const agentLLMResponse = { status: 'error', errorDetails: { message: reason } };
    post('The failure is told.', 'answer', { agentLLMResponse });
  };
  const extend = (event: Event) => {
    event.preventDefault();
    const ttlMs = Number(minutes) * MINUTE_MS;
    run(async () => {
      const isSooner = expiresAt !== undefined && Date.now() + ttlMs < Date.parse(expiresAt);
      const question = `That is sooner than the deadline that is set, ${timeText(expiresAt)}. Shorten it?`;
      if (isSooner && !(await ask({ question, confirm: 'Shorten' }))) return 'The deadline stays.';
      const reply = await client.post<InteractionReply>(`${path}/extend`, { ttlMs });
      return `The deadline is ${timeText(reply.expiresAt)}.`;
    });
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
          <button type="submit" class="secondary" disabled={isRunning}>
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
        <button type="submit" class="secondary" disabled={isRunning}>
          Extend
        </button>
      </form>
      {mayCancel && (
        <ConfirmedButton
          class="secondary outline"
          disabled={isRunning}
          question="Cancel this interaction? Its task goes on without an answer."
          confirm="Cancel interaction"
          onConfirm={() => post('The interaction is cancelled.', 'cancel')}
        >
          Cancel interaction
        </ConfirmedButton>
      )}
      {dialog}
    </section>
  );
}

function timeText(iso: string | undefined): string {
  return iso === undefined ? 'none' : new Date(iso).toLocaleString();
}
