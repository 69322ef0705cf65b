import { useLiveValue } from '../../live/use-live-value.ts';
import { HiddenUntilAsked } from '../../components/hidden-until-asked.tsx';
import { LiveState } from '../../components/live-state.tsx';
import { plainText, readableText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';
import { DefinitionForm } from './definition-form.tsx';
import type { DefinitionKind, DefinitionVersion } from './definition-kind.ts';
import { TestCallForm } from './test-call-form.tsx';

interface Shown {
  readonly newest: DefinitionVersion;
  readonly versions: readonly DefinitionVersion[];
}

/** One definition: its newest version to edit, a form to try it, and the versions before with the tasks that go on with each. */
export function DefinitionPage({ kind, name }: { kind: DefinitionKind; name: string }) {
  const session = useSession();
  const { client } = session;
  const path = `/${kind.plural}/${encodeURIComponent(name)}`;
  const live = useLiveValue<Shown>(session, path, async (signal) => {
    const [newest, { versions }] = await Promise.all([
      client.get<DefinitionVersion>(path, {}, signal),
      client.get<{ versions: readonly DefinitionVersion[] }>(`${path}/history`, {}, signal),
    ]);
    return { newest, versions };
  });
  if (name === 'new')
    return (
      <>
        <h1>New of {kind.title.toLowerCase()}</h1>
        <DefinitionForm kind={kind} name={undefined} definition={kind.new} onStored={() => {}} />
      </>
    );
  const shown = live.value;
  return (
    <>
      <h1>{plainText(name)}</h1>
      <LiveState live={live} />
      {shown !== undefined && (
        <>
          <HiddenUntilAsked title="Try it">
            {() => <TestCallForm testCall={kind.testCall(shown.newest, name)} />}
          </HiddenUntilAsked>
          <DefinitionForm
            key={shown.newest.version}
            kind={kind}
            name={name}
            definition={shown.newest.definition}
            onStored={live.reload}
          />
          <h2>Versions</h2>
          <Versions of={shown.versions} />
        </>
      )}
    </>
  );
}

function Versions({ of: versions }: { of: readonly DefinitionVersion[] }) {
  return (
    <>
      {versions.map(({ version, storedAt, storedBy, definition, tasks }) => (
        <section key={version}>
          <p>
            <strong>{version}</strong>, stored <RelativeTime iso={storedAt} /> by {plainText(storedBy)}
            {tasks !== undefined && `, ${tasks.length} tasks go on with it`}{' '}
            {tasks?.map((id) => (
              <span key={id}>
                <RowLink to={['tasks', id]} text={id} />{' '}
              </span>
            ))}
          </p>
          <HiddenUntilAsked title={`Definition of version ${version}`}>
            {() => <pre tabIndex={0}>{readableText(definition)}</pre>}
          </HiddenUntilAsked>
        </section>
      ))}
    </>
  );
}
