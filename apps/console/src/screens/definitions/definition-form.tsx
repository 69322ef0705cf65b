import { useEffect, useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { useConfirmation } from '../../components/action/confirmation.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import type { DefinitionVersion } from './definition-kind.ts';

interface DefinitionFormProps {
  readonly path: string;
  readonly newest: DefinitionVersion;
  readonly onStored: () => void;
}

/**
 * A definition as JSON, to be stored as the next version. The server says what is wrong with it. What is typed stays when somebody else
 * stores a version meanwhile, and is stored over that one only once it was asked for.
 */
export function DefinitionForm({ path, newest, onStored }: DefinitionFormProps) {
  const { client } = useSession();
  const { ask, dialog } = useConfirmation();
  /** What the field began with. */
  const [loaded, setLoaded] = useState(newest);
  /** The version that what is typed goes on from. */
  const [base, setBase] = useState(newest.version);
  const [value, setValue] = useState<unknown>(newest.definition);
  const [isTyped, setIsTyped] = useState(false);
  const isOld = newest.version > base;
  const load = () => {
    setLoaded(newest);
    setBase(newest.version);
    setValue(newest.definition);
    setIsTyped(false);
  };
  useEffect(() => {
    if (isOld && !isTyped) load();
  }, [newest]);
  const run = async () => {
    const stored = await client.get<DefinitionVersion>(path);
    if (stored.version !== base) {
      const question = `${storedMeanwhile(stored)} What you typed was begun from version ${base}. Store it as the next version all the same?`;
      if (!(await ask({ question, confirm: 'Store' }))) return 'Nothing was stored.';
    }
    const { version } = await client.put<{ version: number }>(path, value);
    setBase(version);
    setIsTyped(false);
    onStored();
    return `Version ${version} is stored.`;
  };
  return (
    <>
      <ActionForm submit="Store" disabled={value === undefined} run={run}>
        <JsonField
          key={loaded.version}
          label="Definition"
          initial={loaded.definition}
          onValue={(typed) => (setValue(typed), setIsTyped(true))}
          rows={16}
        />
        {isOld && (
          <p role="status">
            {storedMeanwhile(newest)}{' '}
            <button type="button" class="small secondary" onClick={load}>
              Load it in the place of what is typed
            </button>
          </p>
        )}
      </ActionForm>
      {dialog}
    </>
  );
}

function storedMeanwhile({ version, storedBy }: DefinitionVersion): string {
  return `Version ${version} was stored meanwhile by ${plainText(storedBy)}.`;
}
