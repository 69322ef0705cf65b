import { useState } from 'preact/hooks';
import { ActionForm } from '../../components/action-form.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { routePath, useRoute } from '../../components/route.ts';
import { useSession } from '../../session/session-context.ts';
import type { DefinitionKind, DefinitionSummary } from './definition-kind.ts';

/** A definition as JSON, to be put as the next version. The server says what is wrong with it. */
export function DefinitionForm({
  kind,
  name,
  definition,
  onStored,
}: {
  kind: DefinitionKind;
  name: string | undefined;
  definition: Readonly<Record<string, unknown>>;
  onStored: () => void;
}) {
  const { client } = useSession();
  const { navigate } = useRoute();
  const [value, setValue] = useState<unknown>(definition);
  const run = async () => {
    const key = name ?? kind.keyOf(value as DefinitionSummary);
    const { version } = await client.put<{ version: number }>(
      `/${kind.plural}/${encodeURIComponent(key)}`,
      value,
    );
    if (name === undefined) navigate(routePath(kind.plural, key));
    else onStored();
    return `Version ${version} is stored.`;
  };
  return (
    <ActionForm submit="Store" disabled={value === undefined} run={run}>
      <JsonField label="Definition" initial={definition} onValue={setValue} rows={16} />
    </ActionForm>
  );
}
