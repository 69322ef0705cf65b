import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Question {
  readonly question: string;
  /** What the button that confirms says. */
  readonly confirm: string;
}

interface Confirmation {
  /** Resolves to whether the question was confirmed. */
  readonly ask: (question: Question) => Promise<boolean>;
  /** What the asking component renders; nothing while nothing is asked. */
  readonly dialog: JSX.Element | undefined;
}

/** Asks before something is done, in a modal dialog. */
export function useConfirmation(): Confirmation {
  const [asked, setAsked] = useState<Question & { readonly answer: (isConfirmed: boolean) => void }>();
  const ask = (question: Question) =>
    new Promise<boolean>((resolve) => {
      const answer = (isConfirmed: boolean) => {
        setAsked(undefined);
        resolve(isConfirmed);
      };
      setAsked({ ...question, answer });
    });
  return { ask, dialog: asked && <Dialog {...asked} /> };
}

/** The browser keeps the keyboard in it, and Escape closes it. */
function Dialog({
  question,
  confirm,
  answer,
}: Question & { readonly answer: (isConfirmed: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={() => answer(false)} aria-labelledby="question">
      <article>
        <p id="question">{question}</p>
        <footer class="actions">
          <button type="button" class="secondary" onClick={() => answer(false)}>
            Back
          </button>
          <button type="button" onClick={() => answer(true)}>
            {confirm}
          </button>
        </footer>
      </article>
    </dialog>
  );
}
