import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface ConfirmedButtonProps extends Omit<JSX.IntrinsicElements['button'], 'onClick'> {
  readonly question: string;
  /** What the button that confirms says. */
  readonly confirm: string;
  readonly onConfirm: () => void;
}

/** A button that asks before it acts. */
export function ConfirmedButton({ question, confirm, onConfirm, ...button }: ConfirmedButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  const act = () => {
    setIsAsking(false);
    onConfirm();
  };
  return (
    <>
      <button type="button" {...button} onClick={() => setIsAsking(true)} />
      {isAsking && (
        <Confirmation
          question={question}
          confirm={confirm}
          onConfirm={act}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

/** A modal question. The browser keeps the keyboard in it, and Escape closes it. */
function Confirmation({
  question,
  confirm,
  onConfirm,
  onClose,
}: Pick<ConfirmedButtonProps, 'question' | 'confirm' | 'onConfirm'> & { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="question">
      <article>
        <p id="question">{question}</p>
        <footer class="actions">
          <button type="button" class="secondary" onClick={onClose}>
            Back
          </button>
          <button type="button" onClick={onConfirm}>
            {confirm}
          </button>
        </footer>
      </article>
    </dialog>
  );
}
