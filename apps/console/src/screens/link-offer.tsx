import { useAction } from '../components/action/action.ts';
import { ActionResult } from '../components/action/action-result.tsx';
import { plainText } from '../components/plain-text.ts';
import type { LinkOwner } from '../session/sign-in-link.ts';

interface LinkOfferProps {
  readonly owner: LinkOwner;
  readonly onAccept: () => Promise<void>;
  readonly onDecline: () => void;
}

/** Whom a sign-in link would sign in: anyone may have made it, so nothing is done with its key before the user agrees. */
export function LinkOffer({ owner, onAccept, onDecline }: LinkOfferProps) {
  const action = useAction();
  const accept = () =>
    void action.start(async () => {
      await onAccept();
      return '';
    });
  return (
    <main class="sign-in">
      <h1>Baton</h1>
      <p>
        Sign in to tenant {plainText(owner.tenant)} as {plainText(owner.principal)}?
      </p>
      <div class="actions">
        <button type="button" aria-busy={action.isRunning} disabled={action.isRunning} onClick={accept}>
          Sign in
        </button>
        <button type="button" class="secondary" disabled={action.isRunning} onClick={onDecline}>
          Use another key
        </button>
      </div>
      <ActionResult action={action} />
    </main>
  );
}
