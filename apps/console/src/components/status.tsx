const MARKS: Readonly<Record<string, string>> = {
  pending: '◔',
  input_required: '◔',
  working: '▶',
  answered: '✓',
  completed: '✓',
  failed: '✕',
  expired: '⌛',
  cancelled: '⊘',
};

/** A status in words, with a mark before it: colours alone say nothing. */
export function Status({ status }: { status: string }) {
  return (
    <span class={`status ${status}`}>
      <span aria-hidden="true">{MARKS[status] ?? '•'}</span> {status.replaceAll('_', ' ')}
    </span>
  );
}
