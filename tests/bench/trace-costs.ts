import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Measurements,
  measureSubject,
  medianMeasurements,
  tableHead,
  tableRow,
} from './measure-subject.ts';
import { batonSubject, type Subject } from './subjects/subject.ts';

/** What traces cost a round trip: off, on with each call sampled, and on with none, interleaved. */
export async function measureAndPrintTraceCosts(runs: number): Promise<void> {
  let bytes = 0;
  // A collector that takes everything at once: its CPU is not counted.
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const cases: readonly (readonly [name: string, subject: Subject])[] = [
    ['off', batonSubject()],
    ['on', { ...batonSubject(), environment: { OTEL_EXPORTER_OTLP_ENDPOINT } }],
    [
      'on, none sampled',
      { ...batonSubject(), environment: { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: 'always_off' } },
    ],
  ];
  const measured = new Map<string, Measurements[]>(cases.map(([name]) => [name, []]));
  for (let run = 0; run < runs; run++)
    for (const [name, subject] of cases) measured.get(name)?.push(await measureSubject(subject, 64));
  console.log(tableHead('Baton at 64, traces'));
  for (const [name, figures] of measured) console.log(tableRow(medianMeasurements(figures), name));
  console.log(`\nThe collector took ${(bytes / 1e6).toFixed(1)} MB.`);
  collector.closeAllConnections();
  collector.close();
}
