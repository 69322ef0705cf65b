import {
  type Measurements,
  measureSubject,
  medianMeasurements,
  tableHead,
  tableRow,
} from './measure-subject.ts';
import { batonSubject, type Subject } from './subjects/subject.ts';

/** What a round trip of one delegated call costs in each dialect, by its CPU beside the tool dialect's of 2025, interleaved. */
export async function measureAndPrintDialectCosts(runs: number): Promise<void> {
  const subjects = (['baton', 'sampling', 'directive', 'input_required', 'task'] as const).map((protocol) =>
    batonSubject({ protocol, replicas: 2 }),
  );
  const measured = new Map<Subject, Measurements[]>(subjects.map((subject) => [subject, []]));
  for (let run = 0; run < runs; run++)
    for (const [subject, figures] of measured) figures.push(await measureSubject(subject, 64));
  const rows = [...measured].map(([{ name }, figures]) => ({ name, ...medianMeasurements(figures) }));
  console.log(tableHead('two replicas, at 64'));
  for (const row of rows) console.log(tableRow(row, row.name));
  const [tool, ...others] = rows;
  for (const { name, cpu } of others)
    console.log(`${name}: ${(cpu / (tool?.cpu ?? 0)).toFixed(2)} of the CPU a trip of the tool dialect`);
}
