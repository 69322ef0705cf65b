/** What a run of scenarios has shown: one line per claim, and how many held. */
export class ScenarioClaims {
  passed = 0;
  failed = 0;
  private readonly scenario: string;
  private readonly print: (line: string) => void;

  constructor(scenario: string, print: (line: string) => void = console.log) {
    this.scenario = scenario;
    this.print = print;
  }

  /** A claim that could be false; `figures` say by how much it held, or what was seen instead. */
  claim(holds: boolean, what: string, figures: unknown = ''): void {
    if (holds) this.passed++;
    else this.failed++;
    const said = typeof figures === 'string' ? figures : JSON.stringify(figures);
    this.print(
      `${holds ? 'pass' : 'FAIL'}  ${this.scenario}: ${what}${said === '' ? '' : ` (${said.slice(0, 600)})`}`,
    );
  }
}

/** A scenario: what is done to a deployment, and what is claimed of it. */
export interface Scenario {
  readonly name: string;
  run(claims: ScenarioClaims, entry: string): Promise<void>;
}
