import type { InteractionDetailReply } from '@baton/gateway/reply-types';
import { useMemo, useState } from 'preact/hooks';
import type { RunAction } from '../../components/action/action.ts';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import { draftOf, keepDraft } from './drafts.ts';
import { warningsFor } from './check-answer.ts';

interface Confirmation {
  readonly replayed?: boolean;
  readonly outcome: {
    readonly status: string;
    readonly problem?: string;
    /** The request that is asked again, of an answer that does not fit. */
    readonly pending?: { readonly interactionId?: string };
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** An answer by hand, in the place of an LLM. What may not fit is said as it is typed; the server decides. */
export function AnswerForm({
  interaction: { interactionId, llmRequestForAgent },
  run,
  isRunning,
}: {
  interaction: InteractionDetailReply;
  run: RunAction;
  isRunning: boolean;
}) {
  const { client } = useSession();
  const [text, setText] = useState(() => draftOf(interactionId));
  const type = (typed: string) => {
    setText(typed);
    keepDraft(interactionId, typed);
  };
  const { schema } = llmRequestForAgent;
  const schemaText = JSON.stringify(schema);
  const warnOf = useMemo(() => warningsFor(schema), [schemaText]);
  const warnings = warnOf(text);
  const submit = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const data = { text };
      const reply = await client.post<Confirmation>(
        `/interactions/${encodeURIComponent(interactionId)}/answer`,
        { agentLLMResponse: { status: 'success', data } },
      );
      keepDraft(interactionId, '');
      const { problem, pending } = reply.outcome;
      if (problem !== undefined && pending?.interactionId !== undefined)
        keepDraft(pending.interactionId, text);
      return describeOutcome(reply);
    });
  };
  return (
    <form onSubmit={submit} class="answer">
      <label>
        Answer by hand
        <textarea
          rows={8}
          spellcheck={schema === undefined}
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
          aria-describedby="answer-warnings"
        />
      </label>
      <div id="answer-warnings" class="problems" aria-live="polite">
        {warnings.length > 0 && (
          <p>
            It may not fit. Baton decides when it is sent; an answer that does not fit uses up an attempt.
          </p>
        )}
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>{plainText(warning)}</li>
          ))}
        </ul>
      </div>
      <button type="submit" disabled={text.trim() === '' || isRunning} aria-busy={isRunning}>
        Answer
      </button>
    </form>
  );
}

function describeOutcome({ replayed, outcome: { status, problem, error } }: Confirmation): string {
  const taken = replayed === true ? 'The same answer was taken before.' : 'The answer is taken.';
  if (error !== undefined) return `${taken} The task is ${status} with ${error.code}: ${error.message}`;
  if (problem !== undefined)
    return `${taken} It does not fit, and is asked again in another interaction, whose form has what you typed: ${problem}`;
  return `${taken} The task is ${status.replaceAll('_', ' ')}.`;
}
