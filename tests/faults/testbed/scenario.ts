/** Prints and counts the checks of one scenario. */
export class ScenarioReport {
  passed = 0;
  failed = 0;
  private readonly scenario: string;
  private readonly print: (line: string) => void;

  constructor(scenario: string, print: (line: string) => void = console.log) {
    this.scenario = scenario;
    this.print = print;
  }

  /** `figures` are printed with the check: measurements, or what was seen instead. */
  check(holds: boolean, what: string, figures: unknown = ''): void {
    if (holds) this.passed++;
    else this.failed++;
    const text = typeof figures === 'string' ? figures : JSON.stringify(figures);
    this.print(
      `${holds ? 'pass' : 'FAIL'}  ${this.scenario}: ${what}${text === '' ? '' : ` (${text.slice(0, 600)})`}`,
    );
  }
}

/** What is done to a deployment, and what is checked. */
export interface Scenario {
  readonly name: string;
  run(report: ScenarioReport, entry: string): Promise<void>;
}
