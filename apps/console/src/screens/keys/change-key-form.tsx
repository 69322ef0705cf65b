import type { KeyReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { useAction } from '../../components/action/action.ts';
import { ActionResult } from '../../components/action/action-result.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import { Choice, DIALECTS, TOOLS } from './key-choices.tsx';

interface ChangeKeyFormProps {
  readonly shown: KeyReply;
  readonly onChanged: (said: string) => void;
  readonly onClose: () => void;
}

/** The form that renames a key, or changes what its clients are shown. What differs is sent. */
export function ChangeKeyForm({ shown, onChanged, onClose }: ChangeKeyFormProps) {
  const { client } = useSession();
  const action = useAction();
  const before = { name: shown.name, tools: shown.tools ?? 'standard', dialect: shown.dialect ?? '' };
  const [typed, setTyped] = useState(before);
  const change = Object.fromEntries(
    Object.entries(typed).filter(([field, value]) => value !== before[field as keyof typeof before]),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    void action.start(async () => {
      await client.patch(`/keys/${encodeURIComponent(shown.id)}`, change);
      onChanged(`${typed.name} is changed.`);
      return '';
    });
  };
  return (
    <form onSubmit={submit} aria-label={`Change ${plainText(shown.name)}`}>
      <h2>
        Change <code>{shown.id}</code>
      </h2>
      <div class="grid">
        <label>
          New name
          <input
            required
            maxLength={200}
            value={typed.name}
            onInput={({ currentTarget: { value } }) => setTyped({ ...typed, name: value })}
          />
        </label>
        <Choice
          title="Its tools"
          options={TOOLS}
          value={typed.tools}
          onChoose={(tools) => setTyped({ ...typed, tools })}
        />
        <Choice
          title="Its dialect"
          options={DIALECTS}
          value={typed.dialect}
          onChoose={(dialect) => setTyped({ ...typed, dialect })}
        />
      </div>
      <button type="submit" class="small" disabled={Object.keys(change).length === 0 || action.isRunning}>
        Change
      </button>{' '}
      <button type="button" class="small secondary" onClick={onClose}>
        Close
      </button>
      <ActionResult action={action} />
    </form>
  );
}
