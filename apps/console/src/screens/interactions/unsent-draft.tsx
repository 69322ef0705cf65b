import type { InteractionDetailReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { plainText } from '../../components/plain-text.ts';
import { draftOf, keepDraft } from './drafts.ts';

/** What was typed for an interaction that has ended, and why it cannot be sent any more; nothing where nothing was typed. */
export function UnsentDraft({ of: interaction }: { of: InteractionDetailReply }) {
  const { interactionId } = interaction;
  const [text, setText] = useState(() => draftOf(interactionId));
  if (text === '') return null;
  const discard = () => {
    keepDraft(interactionId, '');
    setText('');
  };
  return (
    <section class="answer">
      <p role="status">{howItEnded(interaction)} It takes no other answer.</p>
      <label>
        What you typed
        <textarea rows={8} readOnly value={text} />
      </label>
      <button type="button" class="secondary" onClick={discard}>
        Discard
      </button>
    </section>
  );
}

function howItEnded({ status, answeredBy }: InteractionDetailReply): string {
  const by = status === 'answered' && answeredBy !== undefined ? ` by ${plainText(answeredBy)}` : '';
  return `This interaction is ${status}${by}.`;
}
