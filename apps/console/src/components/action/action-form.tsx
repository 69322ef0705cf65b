import type { ComponentChildren } from 'preact';
import { useAction } from './action.ts';
import { ActionResult } from './action-result.tsx';

interface ActionFormProps {
  /** What the button says that starts the action. */
  readonly submit: string;
  readonly disabled?: boolean;
  /** Resolves to what is said afterwards. */
  readonly run: () => Promise<string>;
  readonly children: ComponentChildren;
  /** What stands below what the action came to. */
  readonly below?: ComponentChildren;
}

/** The fields of an action with the button that starts it, and what it came to. */
export function ActionForm({ submit, disabled = false, run, children, below }: ActionFormProps) {
  const action = useAction();
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void action.start(run);
  };
  return (
    <form onSubmit={onSubmit}>
      {children}
      <button type="submit" class="small" disabled={disabled || action.isRunning}>
        {submit}
      </button>
      <ActionResult action={action} />
      {below}
    </form>
  );
}
