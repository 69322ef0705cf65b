import { useAction } from '../../components/action/action.ts';
import { ActionResult } from '../../components/action/action-result.tsx';

/** The text of a key that was just made. */
export function NewKey({ text, onClose }: { text: string; onClose: () => void }) {
  const action = useAction();
  return (
    <article role="status" class="new-key">
      <p>The new key. It is shown this once; Baton itself does not know it any more.</p>
      <pre tabIndex={0}>{text}</pre>
      <div class="actions">
        <button type="button" class="small" onClick={() => void action.start(() => copy(text))}>
          Copy
        </button>
        <button type="button" class="small secondary" onClick={onClose}>
          I have it
        </button>
        <ActionResult action={action} />
      </div>
    </article>
  );
}

/** Browsers give pages of plain HTTP no clipboard, but for those of localhost. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    throw new Error(
      'The browser does not let this page copy, as it does on plain HTTP. Select the text and copy it.',
    );
  }
}
