import { useEffect, useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { useConfirmation } from '../../components/action/confirmation.tsx';
import { JsonField } from '../../components/json-field.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import { isConflict, type WithEtag } from '../../rest/rest-client.ts';
import type { DefinitionVersion } from './definition-kind.ts';

interface DefinitionFormProps {
  readonly path: string;
  readonly newest: WithEtag<DefinitionVersion>;
  readonly onStored: () => void;
}

/**
 * A definition as JSON, to be stored as the next version. The server says what is wrong with it. What is typed stays when somebody else
 * changes the definition meanwhile, and is stored over that change only once it was asked for.
 */
export function DefinitionForm({ path, newest, onStored }: DefinitionFormProps) {
  const { client } = useSession();
  const { ask, dialog } = useConfirmation();
  /** What the field began with. */
  const [loaded, setLoaded] = useState(newest);
  /** What the typed text goes on from. */
  const [base, setBase] = useState({ version: newest.value.version, etag: newest.etag });
  const [value, setValue] = useState<unknown>(newest.value.definition);
  const [isTyped, setIsTyped] = useState(false);
  // A reading that came before what was stored here is no change of it.
  const isOld = newest.etag !== base.etag && newest.value.version >= base.version;
  const load = () => {
    setLoaded(newest);
    setBase({ version: newest.value.version, etag: newest.etag });
    setValue(newest.value.definition);
    setIsTyped(false);
  };
  useEffect(() => {
    if (isOld && !isTyped) load();
  }, [newest]);
  const run = async () => {
    for (let { etag } = base; ; ) {
      try {
        const stored = await client.putWhere<{ version: number }>(path, { 'if-match': etag }, value);
        setBase({ version: stored.value.version, etag: stored.etag });
        setIsTyped(false);
        onStored();
        return `Version ${stored.value.version} is stored.`;
      } catch (thrown) {
        if (!isConflict(thrown)) throw thrown;
      }
      const found = await client.getTagged<DefinitionVersion>(path);
      const question = `${changedMeanwhile(found.value, base.version)} What you typed was begun from version ${base.version}. Store it as the next version all the same?`;
      if (!(await ask({ question, confirm: 'Store' }))) return 'Nothing was stored.';
      etag = found.etag;
    }
  };
  return (
    <>
      <ActionForm submit="Store" disabled={value === undefined} run={run}>
        <JsonField
          key={loaded.etag}
          label="Definition"
          initial={loaded.value.definition}
          onValue={(typed) => (setValue(typed), setIsTyped(true))}
          rows={16}
        />
        {isOld && (
          <p role="status">
            {changedMeanwhile(newest.value, base.version)}{' '}
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

/** A change that is no new version is one of an agent's state. */
function changedMeanwhile({ version, storedBy }: DefinitionVersion, base: number): string {
  if (version === base) return 'It was enabled, disabled or made the primary meanwhile.';
  return `Version ${version} was stored meanwhile by ${plainText(storedBy)}.`;
}
