import { median } from '../harness/statistics.ts';
import {
  type Measurements,
  measureSubject,
  medianMeasurements,
  tableHead,
  tableRow,
} from './measure-subject.ts';
import { batonSubject } from './subjects/subject.ts';

/** Each pair is measured on both sides of the tool dialect of 2025, so that a slow minute of the machine affects what is compared. */
const PAIRS = [
  ['sampling', 'task'],
  ['directive', 'input_required'],
] as const;

/** What a round trip of one delegated call costs in each dialect, by its CPU beside the tool dialect's of the same minute. */
export async function measureAndPrintDialectCosts(runs: number): Promise<void> {
  const measured = new Map<string, Measurements[]>();
  const ratios = new Map<string, number[]>();
  for (let run = 0; run < runs; run++) {
    for (const [before, after] of PAIRS) {
      const first = await measure(before);
      const tool = await measure('baton');
      addRatio(before, first.cpu / tool.cpu);
      addRatio(after, (await measure(after)).cpu / tool.cpu);
    }
  }
  console.log(tableHead('two replicas, at 64'));
  for (const [name, figures] of measured) console.log(tableRow(medianMeasurements(figures), name));
  for (const [protocol, of] of ratios) {
    const [middle, least, most] = [median(of), Math.min(...of), Math.max(...of)].map((one) => one.toFixed(2));
    console.log(`${protocol}: ${middle} of the CPU a trip of the tool dialect (${least} to ${most})`);
  }

  async function measure(protocol: (typeof PAIRS)[number][number] | 'baton'): Promise<Measurements> {
    const subject = batonSubject({ protocol, replicas: 2 });
    const figures = await measureSubject(subject, 64);
    measured.set(subject.name, [...(measured.get(subject.name) ?? []), figures]);
    return figures;
  }

  function addRatio(protocol: string, ratio: number): void {
    ratios.set(protocol, [...(ratios.get(protocol) ?? []), ratio]);
  }
}
