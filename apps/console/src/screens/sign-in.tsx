import { useState } from 'preact/hooks';
import { useAction } from '../components/action/action.ts';
import { ActionResult } from '../components/action/action-result.tsx';

/** The form for a key. The field is no password of this site: browsers are asked not to keep it. */
export function SignIn({
  notice,
  onKey,
}: {
  notice: string | undefined;
  onKey: (key: string) => Promise<void>;
}) {
  const [key, setKey] = useState('');
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void action.start(async () => {
      await onKey(key.trim());
      return '';
    });
  };
  return (
    <main class="sign-in">
      <h1>Baton</h1>
      {notice !== undefined && <p role="status">{notice}</p>}
      <form onSubmit={submit}>
        <label>
          API key or operator token
          <input
            type="password"
            name="key"
            autocomplete="off"
            required
            autofocus
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
            aria-describedby="key-help"
          />
        </label>
        <small id="key-help">
          It is kept in this page only, and forgotten when the page is closed. A key with the scope{' '}
          <code>mcp</code> shows its own calls, <code>agent</code> or <code>admin</code> all of its tenant.
        </small>
        <button type="submit" aria-busy={action.isRunning} disabled={action.isRunning}>
          Sign in
        </button>
        <ActionResult action={action} />
      </form>
    </main>
  );
}
