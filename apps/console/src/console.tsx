import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Redirect, Route, Router, Switch } from 'wouter-preact';
import { usePathLocation, useRoute, withParameter } from './components/route.ts';
import { plainText } from './components/plain-text.ts';
import { Overview } from './screens/overview/overview.tsx';
import { SystemStatus } from './screens/system/system-status.tsx';
import { InteractionList } from './screens/interactions/interaction-list.tsx';
import { InteractionPage } from './screens/interactions/interaction-page.tsx';
import { ConversationList } from './screens/conversations/conversation-list.tsx';
import { ConversationPage } from './screens/conversations/conversation-page.tsx';
import { AGENTS, PROMPTS, WORKFLOWS } from './screens/definitions/definition-kind.ts';
import { DefinitionList } from './screens/definitions/definition-list.tsx';
import { DefinitionPage } from './screens/definitions/definition-page.tsx';
import { ProjectList } from './screens/projects/project-list.tsx';
import { ProjectPage } from './screens/projects/project-page.tsx';
import { KeyList } from './screens/keys/key-list.tsx';
import { TaskList } from './screens/tasks/task-list.tsx';
import { TaskPage } from './screens/tasks/task-page.tsx';
import { TenantPage } from './screens/tenants/tenant-page.tsx';
import { TenantChoice } from './screens/tenants/tenant-choice.tsx';
import { inTenant, type Session, signIn } from './session/session.ts';
import { type LinkOwner, readLinkOwner, redeemLinkKey, takeLinkKey } from './session/sign-in-link.ts';
import { SessionContext } from './session/session-context.ts';
import { LinkOffer } from './screens/link-offer.tsx';
import { SignIn } from './screens/sign-in.tsx';

/** The whole page: the form for a key, then the screens of what it may see. */
export function Console() {
  const [signedIn, setSignedIn] = useState<Session>();
  const [tenant, setTenant] = useState<string>();
  const [notice, setNotice] = useState<string>();
  const [offered, setOffered] = useState<LinkOwner>();
  const end = useCallback((reason: string) => {
    setSignedIn(undefined);
    setTenant(undefined);
    setNotice(reason);
  }, []);
  const onEnd = useCallback(
    () => end('The key is good no more: it ended or was revoked. Sign in with another.'),
    [end],
  );
  const session = useMemo(
    () => (signedIn === undefined || tenant === undefined ? signedIn : inTenant(signedIn, tenant)),
    [signedIn, tenant],
  );

  useEffect(() => {
    const linkKey = takeLinkKey();
    if (linkKey === undefined) return;
    if (linkKey === '') return setNotice('The link signs nobody in: its key cannot be read. Copy all of it.');
    readLinkOwner(linkKey)
      .then(setOffered)
      .catch((error: Error) =>
        setNotice(`The link signs nobody in: it was used or has expired. ${error.message}`),
      );
  }, []);

  if (session === undefined && offered !== undefined)
    return (
      <LinkOffer
        owner={offered}
        onAccept={async () => {
          setSignedIn(await signIn(await redeemLinkKey(offered), onEnd));
          setOffered(undefined);
        }}
        onDecline={() => setOffered(undefined)}
      />
    );
  if (session === undefined)
    return <SignIn notice={notice} onKey={async (key) => setSignedIn(await signIn(key, onEnd))} />;
  return (
    <SessionContext.Provider value={session}>
      <Header
        session={session}
        onLeave={() => end('You are signed out.')}
        onTenants={tenant === undefined ? undefined : () => setTenant(undefined)}
      />
      <main class="container-fluid" id="main" tabIndex={-1}>
        {session.tenant === undefined ? (
          <>
            <TenantChoice onChoose={setTenant} />
            <SystemStatus />
          </>
        ) : (
          <Screens />
        )}
      </main>
    </SessionContext.Provider>
  );
}

function Screens() {
  return (
    <Router hook={usePathLocation}>
      <Switch>
        <Route path="/overview" component={Overview} />
        <Route path="/interactions" component={InteractionList} />
        <Route path="/interactions/:id">
          {withParameter((id) => (
            <InteractionPage id={id} />
          ))}
        </Route>
        <Route path="/tasks" component={TaskList} />
        <Route path="/projects" component={ProjectList} />
        <Route path="/projects/:id">
          {withParameter((id) => (
            <ProjectPage id={id} />
          ))}
        </Route>
        <Route path="/conversations" component={ConversationList} />
        <Route path="/conversations/:id">
          {withParameter((id) => (
            <ConversationPage id={id} />
          ))}
        </Route>
        {[AGENTS, WORKFLOWS, PROMPTS].flatMap((kind) => [
          <Route key={kind.plural} path={`/${kind.plural}`}>
            <DefinitionList kind={kind} />
          </Route>,
          <Route key={`${kind.plural} one`} path={`/${kind.plural}/:name`}>
            {withParameter((name) => (
              <DefinitionPage kind={kind} name={name} />
            ))}
          </Route>,
        ])}
        <Route path="/keys" component={KeyList} />
        <Route path="/tenant" component={TenantPage} />
        <Route path="/tasks/:id">
          {withParameter((id) => (
            <TaskPage id={id} />
          ))}
        </Route>
        <Route>
          <Redirect to="/overview" replace />
        </Route>
      </Switch>
    </Router>
  );
}

/** The screens with who has use of each: any of these scopes. The server refuses what a key may not do, whatever stands here. */
const SCREENS = [
  ['/overview', 'Overview', undefined],
  ['/interactions', 'Interactions', undefined],
  ['/tasks', 'Tasks', undefined],
  ['/projects', 'Projects', ['mcp', 'admin', 'operator']],
  ['/agents', 'Agents', ['mcp', 'admin', 'operator']],
  ['/conversations', 'Conversations', undefined],
  ['/workflows', 'Workflows', ['mcp', 'admin', 'operator']],
  ['/prompts', 'Prompts', ['mcp', 'admin', 'operator']],
  ['/keys', 'Keys', ['admin', 'operator']],
  ['/tenant', 'Limits', ['operator']],
] as const;

function Header({
  session,
  onLeave,
  onTenants,
}: {
  session: Session;
  onLeave: () => void;
  onTenants: (() => void) | undefined;
}) {
  const { path } = useRoute();
  return (
    <header class="container-fluid">
      <a class="skip" href="#main" onClick={focusMain}>
        To the content
      </a>
      <nav aria-label="Console">
        <ul>
          <li>
            <strong>Baton</strong>
          </li>
          {session.tenant !== undefined &&
            SCREENS.filter(
              ([, , forScopes]) => forScopes?.some((one) => session.scopes.includes(one)) ?? true,
            ).map(([to, title]) => (
              <li key={to}>
                <a href={`#${to}`} aria-current={path.startsWith(to) ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
        </ul>
        <ul>
          <li>
            {plainText(session.who)}
            {session.tenant !== undefined && ` · ${plainText(session.tenant)}`}
          </li>
          {onTenants !== undefined && (
            <li>
              <button type="button" class="small secondary outline" onClick={onTenants}>
                Tenants
              </button>
            </li>
          )}
          <li>
            <button type="button" class="small secondary outline" onClick={onLeave}>
              Sign out
            </button>
          </li>
        </ul>
      </nav>
    </header>
  );
}

/** The address is the route's, so the link to the content moves the focus only. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
