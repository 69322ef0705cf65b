/** What a run of situations has shown: one line per claim, and how many held. */
export class Claims {
  passed = 0;
  failed = 0;
  private readonly situation: string;
  private readonly print: (line: string) => void;

  constructor(situation: string, print: (line: string) => void = console.log) {
    this.situation = situation;
    this.print = print;
  }

  /** A claim that could be false; `figures` say by how much it held, or what was seen instead. */
  claim(holds: boolean, what: string, figures: unknown = ''): void {
    if (holds) this.passed++;
    else this.failed++;
    const said = typeof figures === 'string' ? figures : JSON.stringify(figures);
    this.print(
      `${holds ? 'pass' : 'FAIL'}  ${this.situation}: ${what}${said === '' ? '' : ` (${said.slice(0, 600)})`}`,
    );
  }
}

/** A situation: what is done to a deployment, and what is claimed of it. */
export interface Situation {
  readonly name: string;
  run(claims: Claims, entry: string): Promise<void>;
}
