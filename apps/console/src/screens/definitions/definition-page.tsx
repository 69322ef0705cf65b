import { useState } from 'preact/hooks';
import { useLiveValue } from '../../live/use-live-value.ts';
import { countText } from '../../components/count-text.ts';
import { HiddenUntilAsked } from '../../components/hidden-until-asked.tsx';
import { LiveState } from '../../components/live-state.tsx';
import { plainText, readableText } from '../../components/plain-text.ts';
import { routePath, useRoute } from '../../components/route.ts';
import { RowLink } from '../../components/row-link.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { isAdmin } from '../../session/session.ts';
import { useSession } from '../../session/session-context.ts';
import { DefinitionForm } from './definition-form.tsx';
import type { WithEtag } from '../../rest/rest-client.ts';
import type { DefinitionKind, DefinitionVersion } from './definition-kind.ts';
import { NewDefinitionForm } from './new-definition-form.tsx';
import { TestCallForm } from './test-call-form.tsx';

interface Shown {
  readonly newest: WithEtag<DefinitionVersion>;
  readonly versions: readonly DefinitionVersion[];
}

/** A definition, or the form for a new one under the name `new`. */
export function DefinitionPage({ kind, name }: { kind: DefinitionKind; name: string }) {
  const { navigate } = useRoute();
  const [created, setCreated] = useState<string>();
  const onCreated = (key: string) => {
    setCreated(key);
    navigate(routePath(kind.plural, key));
  };
  if (name === 'new')
    return (
      <>
        <h1>New {kind.singular}</h1>
        <NewDefinitionForm key={kind.plural} kind={kind} onCreated={onCreated} />
      </>
    );
  return (
    <>
      <h1>{plainText(name)}</h1>
      {created === name && (
        <p class="done" role="status">
          Version 1 is stored.
        </p>
      )}
      <StoredDefinition key={`${kind.plural} ${name}`} kind={kind} name={name} />
    </>
  );
}

/** One definition: its newest version to edit, a form to try it, and the versions before with the tasks that go on with each. */
function StoredDefinition({ kind, name }: { kind: DefinitionKind; name: string }) {
  const session = useSession();
  const { client } = session;
  const path = routePath(kind.plural, name);
  const live = useLiveValue<Shown>(session, path, async (signal) => {
    const [newest, { versions }] = await Promise.all([
      client.getTagged<DefinitionVersion>(path, {}, signal),
      client.get<{ versions: readonly DefinitionVersion[] }>(`${path}/history`, {}, signal),
    ]);
    return { newest, versions };
  });
  const shown = live.value;
  return (
    <>
      <LiveState live={live} />
      {shown !== undefined && (
        <>
          <HiddenUntilAsked title="Try it">
            {() => <TestCallForm testCall={kind.testCall(shown.newest.value, name)} />}
          </HiddenUntilAsked>
          {isAdmin(session) && <DefinitionForm path={path} newest={shown.newest} onStored={live.reload} />}
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
            {tasks !== undefined && `, ${countText(tasks.length, 'task')} to go on with it`}{' '}
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
