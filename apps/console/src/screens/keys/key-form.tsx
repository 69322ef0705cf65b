import { useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { useSession } from '../../session/session-context.ts';
import { Choice, DIALECTS, TOOLS } from './key-choices.tsx';

const SCOPES = [
  ['mcp', 'calls tools, sees its own calls'],
  ['agent', 'answers the requests of all'],
  ['admin', 'manages the tenant'],
] as const;

const DAY_MS = 86_400_000;

/** The form for a new key of the tenant. */
export function KeyForm({ onMade }: { onMade: (key: string) => void }) {
  const { client } = useSession();
  const [name, setName] = useState('');
  const [principal, setPrincipal] = useState('');
  const [days, setDays] = useState('');
  const [tools, setTools] = useState('standard');
  const [dialect, setDialect] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(['mcp']);
  const run = async () => {
    const { key } = await client.post<{ key: string }>('/keys', {
      name,
      scopes,
      ...(principal !== '' && { principal }),
      ...(tools !== 'standard' && { tools }),
      ...(dialect !== '' && { dialect }),
      ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    });
    setName('');
    onMade(key);
    return '';
  };
  return (
    <details>
      <summary>Create a key</summary>
      <ActionForm submit="Create" disabled={scopes.length === 0} run={run}>
        <div class="grid">
          <label>
            Name
            <input
              required
              maxLength={200}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <label>
            Principal
            <input
              placeholder="its own"
              value={principal}
              onInput={(event) => setPrincipal(event.currentTarget.value.trim())}
            />
          </label>
          <label>
            Expires in days
            <input
              type="number"
              min={1}
              max={36_500}
              placeholder="never"
              value={days}
              onInput={(event) => setDays(event.currentTarget.value)}
            />
          </label>
          <Choice title="Tools that are listed" options={TOOLS} value={tools} onChoose={setTools} />
          <Choice title="Dialect of its clients" options={DIALECTS} value={dialect} onChoose={setDialect} />
        </div>
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map(([scope, what]) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={({ currentTarget: { checked } }) =>
                  setScopes(checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                }
              />
              <code>{scope}</code> {what}
            </label>
          ))}
        </fieldset>
      </ActionForm>
    </details>
  );
}
