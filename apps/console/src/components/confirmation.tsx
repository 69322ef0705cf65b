import { useEffect, useRef } from 'preact/hooks';

/** A modal question. The browser keeps the keyboard in it, and Escape closes it. */
export function Confirmation({
  question,
  confirm,
  onConfirm,
  onClose,
}: {
  question: string;
  confirm: string;
  onConfirm: () => void;
  onClose: () => void;
}) {
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
