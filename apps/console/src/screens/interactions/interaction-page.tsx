import type { InteractionDetailReply } from '@baton/gateway/reply-types';
import { type RunAction, useAction } from '../../components/action/action.ts';
import { ActionResult } from '../../components/action/action-result.tsx';
import { useLiveValue } from '../../live/use-live-value.ts';
import { DescriptionList } from '../../components/description-list.tsx';
import { HiddenUntilAsked } from '../../components/hidden-until-asked.tsx';
import { LiveState } from '../../components/live-state.tsx';
import { plainText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { Status } from '../../components/status.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';
import { AnswerForm } from './answer-form.tsx';
import { AnswerView } from './answer-view.tsx';
import { InteractionActions } from './interaction-actions.tsx';
import { RequestView } from './request-view.tsx';
import { UnsentDraft } from './unsent-draft.tsx';

/** One interaction: what is known of it, its request once asked for, and what can be done while it is pending. */
export function InteractionPage({ id }: { id: string }) {
  const session = useSession();
  const path = `/interactions/${encodeURIComponent(id)}`;
  const live = useLiveValue(
    session,
    path,
    (signal) => session.client.get<InteractionDetailReply>(path, {}, signal),
    `baton://interactions/${id}`,
  );
  const interaction = live.value;
  return (
    <>
      <h1>{plainText(interaction?.summary ?? id)}</h1>
      <LiveState live={live} />
      {interaction !== undefined && (
        <>
          <Facts of={interaction} />
          <HiddenUntilAsked title="Request">{() => <RequestView of={interaction} />}</HiddenUntilAsked>
          {interaction.status === 'answered' && (
            <>
              <HiddenUntilAsked title="Answer">{() => <AnswerView of={interaction} />}</HiddenUntilAsked>
              <p>
                What came of it is in the journal of{' '}
                <RowLink to={['tasks', interaction.taskId]} text="its task" />.
              </p>
            </>
          )}
          <WhatCanBeDone key={id} of={interaction} reload={live.reload} />
        </>
      )}
    </>
  );
}

/** What an action came to is told when the interaction has ended as well, by it or by somebody else meanwhile. */
function WhatCanBeDone({ of: interaction, reload }: { of: InteractionDetailReply; reload: () => void }) {
  const action = useAction();
  const run: RunAction = (what) => void action.start(() => what().finally(reload));
  const isPending = interaction.status === 'pending';
  const given = { interaction, run, isRunning: action.isRunning };
  return (
    <>
      {isPending ? (
        <>
          {interaction.provider === true ? (
            <p>A worker asks the LLM endpoint of its role. It takes no answer by hand.</p>
          ) : (
            <AnswerForm {...given} />
          )}
          <InteractionActions {...given} />
        </>
      ) : (
        // While an answer is on its way, it is not known whether it is the one that was taken.
        !action.isRunning && <UnsentDraft of={interaction} />
      )}
      <ActionResult action={action} />
    </>
  );
}

function Facts({ of: one }: { of: InteractionDetailReply }) {
  const holder = one.claimedBy && (one.claimedBy.holder ?? one.claimedBy.principal);
  return (
    <DescriptionList
      of={[
        ['Status', <Status status={one.status} />],
        ['Operation', plainText(one.operation)],
        ['Task', <RowLink to={['tasks', one.taskId]} text={one.taskId} />],
        ['Principal', plainText(one.principal)],
        ['Client', plainText(one.client ?? '—')],
        ['Role', one.role],
        ['Attempt', one.attempt],
        ['Agent', one.agentId],
        ['Opened', <RelativeTime iso={one.createdAt} />],
        ['Deadline', one.expiresAt && <RelativeTime iso={one.expiresAt} />],
        ['Claimed by', holder && plainText(holder)],
        ['Claimed until', one.claimedUntil && <RelativeTime iso={one.claimedUntil} />],
        ['Answered by', one.answeredBy && plainText(one.answeredBy)],
        ['Ended', one.endedAt && <RelativeTime iso={one.endedAt} />],
        ['Model', one.usage?.model && plainText(one.usage.model)],
        ['Tokens in', one.usage?.inputTokens],
        ['Tokens out', one.usage?.outputTokens],
        ['Interaction', <code>{one.interactionId}</code>],
      ]}
    />
  );
}
