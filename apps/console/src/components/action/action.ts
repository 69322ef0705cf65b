import { useState } from 'preact/hooks';

/** An action under way: what it came to, in words, and what it failed with. */
export interface Action {
  readonly isRunning: boolean;
  readonly done: string | undefined;
  readonly problem: string | undefined;
  /** Runs one at a time; `run` resolves to what is said afterwards. */
  readonly start: (run: () => Promise<string>) => Promise<void>;
}

/** Runs an action of a screen; it resolves to what is said afterwards. */
export type RunAction = (what: () => Promise<string>) => void;

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'start'>>({
    isRunning: false,
    done: undefined,
    problem: undefined,
  });
  const start = async (run: () => Promise<string>) => {
    if (state.isRunning) return;
    setState({ isRunning: true, done: undefined, problem: undefined });
    try {
      setState({ isRunning: false, done: await run(), problem: undefined });
    } catch (error) {
      setState({
        isRunning: false,
        done: undefined,
        problem: error instanceof Error ? error.message : String(error),
      });
    }
  };
  return { ...state, start };
}
