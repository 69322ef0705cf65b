/** What one look found: it is well, worth a word, or wrong; in words that name the way out. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly text: string;
  /** Of what is wrong: the exit code that the command then has. */
  readonly exitCode?: number;
}

export function ok(check: string, text: string): Finding {
  return { check, state: 'ok', text };
}

export function note(check: string, text: string): Finding {
  return { check, state: 'note', text };
}

export function wrong(check: string, text: string, exitCode: number): Finding {
  return { check, state: 'wrong', text, exitCode };
}
