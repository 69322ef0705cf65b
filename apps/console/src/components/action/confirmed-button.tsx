import type { JSX } from 'preact';
import { useConfirmation } from './confirmation.tsx';

interface ConfirmedButtonProps extends Omit<JSX.IntrinsicElements['button'], 'onClick'> {
  readonly question: string;
  /** What the button that confirms says. */
  readonly confirm: string;
  readonly onConfirm: () => void;
}

/** A button that asks before it acts. */
export function ConfirmedButton({ question, confirm, onConfirm, ...button }: ConfirmedButtonProps) {
  const { ask, dialog } = useConfirmation();
  const onClick = async () => {
    if (await ask({ question, confirm })) onConfirm();
  };
  return (
    <>
      <button type="button" {...button} onClick={() => void onClick()} />
      {dialog}
    </>
  );
}
