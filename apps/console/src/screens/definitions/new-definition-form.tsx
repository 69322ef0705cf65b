import { useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { routePath } from '../../components/route.ts';
import { isConflict } from '../../rest/rest-client.ts';
import { useSession } from '../../session/session-context.ts';
import type { DefinitionKind, DefinitionSummary } from './definition-kind.ts';

/** A new definition as JSON. One that exists is not stored over. */
export function NewDefinitionForm({
  kind,
  onCreated,
}: {
  kind: DefinitionKind;
  onCreated: (key: string) => void;
}) {
  const { client } = useSession();
  const [value, setValue] = useState<unknown>(kind.new);
  const run = async () => {
    if (typeof value !== 'object' || value === null) throw new Error('A definition is a JSON object.');
    const key = kind.keyOf(value as DefinitionSummary);
    try {
      await client.putWhere(routePath(kind.plural, key), { 'if-none-match': '*' }, value);
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown;
      throw new Error(`${key} exists already. Its own page stores its next version.`);
    }
    onCreated(key);
    return '';
  };
  return (
    <ActionForm submit="Store" disabled={value === undefined} run={run}>
      <JsonField label="Definition" initial={kind.new} onValue={setValue} rows={16} />
    </ActionForm>
  );
}
