/** Prints and counts the claims of one scenario. */
export class ScenarioClaims {
  passed = 0;
  failed = 0;
  private readonly scenario: string;
  private readonly print: (line: string) => void;

  constructor(scenario: string, print: (line: string) => void = console.log) {
    this.scenario = scenario;
    this.print = print;
  }

  /** `figures` are printed with the claim: measurements, or what was seen instead. */
  claim(holds: boolean, what: string, figures: unknown = ''): void {
    if (holds) this.passed++;
    else this.failed++;
    const text = typeof figures === 'string' ? figures : JSON.stringify(figures);
    this.print(
      `${holds ? 'pass' : 'FAIL'}  ${this.scenario}: ${what}${text === '' ? '' : ` (${text.slice(0, 600)})`}`,
    );
  }
}

/** What is done to a deployment, and what is claimed of it. */
export interface Scenario {
  readonly name: string;
  run(claims: ScenarioClaims, entry: string): Promise<void>;
}
