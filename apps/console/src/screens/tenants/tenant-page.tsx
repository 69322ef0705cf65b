import type { TenantReply } from '@baton/gateway/reply-types';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useAction } from '../../components/action/action.ts';
import { ActionResult } from '../../components/action/action-result.tsx';
import { ConfirmedButton } from '../../components/action/confirmed-button.tsx';
import { LiveState } from '../../components/live-state.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import { LimitsForm } from './limits-form.tsx';

/** One tenant, for the operator: what it has of what its limits bound, its limits, and whether its keys are taken. */
export function TenantPage() {
  const session = useSession();
  const { client, tenant: id = '' } = session;
  const live = useLiveValue(session, `tenant ${id}`, (signal) => client.get<TenantReply>('', {}, signal));
  const action = useAction();
  const tenant = live.value;
  const suspend = (suspended: boolean) =>
    action.start(async () => {
      await client.patch('', { suspended });
      live.reload();
      return suspended
        ? 'Its keys are refused from now on; its tasks stay as they are.'
        : 'Its keys are taken again.';
    });
  const remove = () =>
    action.start(async () => {
      await client.delete('');
      live.reload();
      return 'It is deleted, with everything that was its own.';
    });
  return (
    <>
      <h1>
        {plainText(id)}{' '}
        {tenant !== undefined && tenant.name !== id && <small>{plainText(tenant.name)}</small>}
      </h1>
      <LiveState live={live} />
      {tenant !== undefined && (
        <>
          <div class="actions">
            <span>{tenant.suspended ? 'Suspended' : 'Active'}</span>
            {tenant.suspended ? (
              <>
                <button
                  type="button"
                  class="small secondary"
                  disabled={action.isRunning}
                  onClick={() => void suspend(false)}
                >
                  Resume
                </button>
                <ConfirmedButton
                  class="small secondary"
                  disabled={action.isRunning}
                  question={`Delete ${plainText(id)} with its keys, tasks, projects and definitions? Nothing of it can be restored, and its id is not given again.`}
                  confirm="Delete"
                  onConfirm={() => void remove()}
                >
                  Delete
                </ConfirmedButton>
              </>
            ) : (
              <ConfirmedButton
                class="small secondary"
                disabled={action.isRunning}
                question={`Suspend ${plainText(id)}? Every call with a key of it is refused until it is resumed.`}
                confirm="Suspend"
                onConfirm={() => void suspend(true)}
              >
                Suspend
              </ConfirmedButton>
            )}
            <ActionResult action={action} />
          </div>
          <LimitsForm key={tenant.id} tenant={tenant} onChanged={live.reload} />
        </>
      )}
    </>
  );
}
