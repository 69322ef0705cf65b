import type { InteractionDetailReply } from '@baton/gateway/reply-types';
import { useMemo, useState } from 'preact/hooks';
import type { RunAction } from '../../components/action.ts';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import { answerCheck } from './check-answer.ts';

interface Confirmation {
  readonly replayed?: boolean;
  readonly outcome: {
    readonly status: string;
    readonly problem?: string;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** An answer by hand, in the place of an LLM: it is checked as it is typed. */
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
  const [text, setText] = useState('');
  const { schema } = llmRequestForAgent;
  const schemaText = JSON.stringify(schema);
  const check = useMemo(() => answerCheck(schema), [schemaText]);
  const problems = check(text);
  const submit = (event: Event) => {
    event.preventDefault();
    if (problems.length > 0) return;
    run(async () => {
      const data = { text };
      const reply = await client.post<Confirmation>(
        `/interactions/${encodeURIComponent(interactionId)}/answer`,
        { agentLLMResponse: { status: 'success', data } },
      );
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
          onInput={(event) => setText(event.currentTarget.value)}
          aria-invalid={text === '' ? undefined : problems.length > 0}
          aria-describedby="answer-problems"
        />
      </label>
      <ul id="answer-problems" class="problems" aria-live="polite">
        {text !== '' && problems.map((problem) => <li key={problem}>{plainText(problem)}</li>)}
      </ul>
      <button type="submit" disabled={problems.length > 0 || isRunning} aria-busy={isRunning}>
        Answer
      </button>
    </form>
  );
}

function describeOutcome({ replayed, outcome: { status, problem, error } }: Confirmation): string {
  const taken = replayed === true ? 'The same answer was taken before.' : 'The answer is taken.';
  if (error !== undefined) return `${taken} The task is ${status} with ${error.code}: ${error.message}`;
  if (problem !== undefined) return `${taken} It does not fit, and the request is asked again: ${problem}`;
  return `${taken} The task is ${status.replaceAll('_', ' ')}.`;
}
