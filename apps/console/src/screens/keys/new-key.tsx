/** The text of a key that was just made. */
export function NewKey({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <article role="status" class="new-key">
      <p>The new key. It is shown this once; Baton itself does not know it any more.</p>
      <pre tabIndex={0}>{text}</pre>
      <div class="actions">
        <button type="button" class="small" onClick={() => void navigator.clipboard.writeText(text)}>
          Copy
        </button>
        <button type="button" class="small secondary" onClick={onClose}>
          I have it
        </button>
      </div>
    </article>
  );
}
