import type { KeyReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { useAction } from '../../components/action/action.ts';
import { ActionResult } from '../../components/action/action-result.tsx';
import { ConfirmedButton } from '../../components/action/confirmed-button.tsx';
import { plainText } from '../../components/plain-text.ts';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';
import { ChangeKeyForm } from './change-key-form.tsx';
import { KeyForm } from './key-form.tsx';
import { NewKey } from './new-key.tsx';

/** How long a rotated key is good beside the new one, in seconds: long enough to bring the new one to who uses it. */
const OVERLAP_SECONDS = 3_600;

const QUESTIONS = {
  rotate: 'It is replaced by a key with the same principal and scopes, and is good for one more hour.',
  revoke: 'Calls with it are refused from now on, and those that are held end.',
};

/** A tenant's API keys. The text of one is shown when it is made, and never again. */
export function KeyList() {
  const { client } = useSession();
  const action = useAction();
  const [changing, setChanging] = useState<KeyReply>();
  /** Each stays until it is said to be kept: another new key does not take its place. */
  const [made, setMade] = useState<readonly string[]>([]);
  const [reading, setReading] = useState(0);
  const onMade = (key: string) => {
    setMade((before) => [...before, key]);
    setReading((before) => before + 1);
  };
  const run = (verb: keyof typeof QUESTIONS, key: KeyReply) =>
    action.start(async () => {
      const path = `/keys/${encodeURIComponent(key.id)}`;
      if (verb === 'rotate') {
        const body = { overlapSeconds: OVERLAP_SECONDS };
        onMade((await client.post<{ key: string }>(`${path}/rotate`, body)).key);
        return `${key.name} is rotated.`;
      }
      await client.delete(path);
      setReading((before) => before + 1);
      return `${key.name} is revoked.`;
    });
  const columns: readonly Column<KeyReply>[] = [
    { title: 'Name', cell: ({ name }) => plainText(name) },
    { title: 'Id', cell: ({ id }) => <code>{id}</code> },
    { title: 'Principal', cell: ({ principal }) => plainText(principal) },
    { title: 'Scopes', cell: ({ scopes }) => scopes.join(' ') },
    { title: 'Tools', cell: ({ tools = 'standard' }) => <span class="words">{plainText(tools)}</span> },
    { title: 'Dialect', cell: ({ dialect = 'as declared' }) => dialect },
    { title: 'Last used', cell: ({ lastUsedAt }) => timeOr(lastUsedAt, 'never') },
    { title: 'Expires', cell: ({ expiresAt }) => timeOr(expiresAt, 'never') },
    {
      title: 'Actions',
      cell: (key) => (
        <span class="actions">
          <button
            type="button"
            class="small secondary outline"
            aria-label={`change ${key.name}`}
            onClick={() => setChanging(key)}
          >
            change
          </button>
          {(['rotate', 'revoke'] as const).map((verb) => (
            <ConfirmedButton
              key={verb}
              class="small secondary outline"
              aria-label={`${verb} ${key.name}`}
              question={`${verb} ${plainText(key.name)}? ${QUESTIONS[verb]}`}
              confirm={verb}
              onConfirm={() => void run(verb, key)}
            >
              {verb}
            </ConfirmedButton>
          ))}
        </span>
      ),
    },
  ];
  return (
    <>
      <h1>Keys</h1>
      <KeyForm onMade={onMade} />
      {made.map((text) => (
        <NewKey
          key={text}
          text={text}
          onClose={() => setMade((before) => before.filter((one) => one !== text))}
        />
      ))}
      <ActionResult action={action} />
      {changing !== undefined && (
        <ChangeKeyForm
          key={changing.id}
          shown={changing}
          onChanged={(said) => {
            setChanging(undefined);
            setReading((before) => before + 1);
            void action.start(async () => said);
          }}
          onClose={() => setChanging(undefined)}
        />
      )}
      <PagedTable
        changes={reading}
        caption="Keys"
        path="/keys"
        field="keys"
        query={{}}
        columns={columns}
        rowId={({ id }) => id}
        empty="There is no key."
      />
    </>
  );
}

function timeOr(iso: string | undefined, otherwise: string) {
  return iso === undefined ? otherwise : <RelativeTime iso={iso} />;
}
