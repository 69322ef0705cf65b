import { readFileSync } from 'node:fs';
import { BenchProcess, cpuMicroseconds } from './subjects/bench-process.ts';
import { batonSubject, RunningSubject } from './subjects/subject.ts';

/** As many as a tenant may have open at one gateway. */
const STREAMS_OF_TENANT = 1_000;
const TENANTS = 5;
const CHANGES = 300;

/** Prints what a notification stream takes of one gateway, and what a change costs that one stream is told of, beside few streams and many. */
export async function measureAndPrintNotificationStreams(): Promise<void> {
  console.log(
    '| streams open | heap of each, KiB | memory of each, KiB | change to notification, p50 ms | CPU µs of the gateway a change |',
  );
  console.log('| --- | --- | --- | --- | --- |');
  for (const streams of [TENANTS, TENANTS * STREAMS_OF_TENANT]) {
    const running = await RunningSubject.start(batonSubject({ tenants: TENANTS }));
    const [gateway] = running.processes;
    if (gateway === undefined) throw new Error('there is no gateway');
    const [heap, resident] = [await gateway.readHeap(), residentBytes(gateway.pid)];
    const { url } = running.endpoint;
    const holder = new BenchProcess('hold-streams', [url, running.keys.join(','), String(streams)]);
    await holder.nextMessage();
    const held = [(await gateway.readHeap()) - heap, residentBytes(gateway.pid) - resident];
    // The first changes are not measured.
    await changed(holder, CHANGES);
    const before = cpuMicroseconds([gateway.pid]);
    const p50 = await changed(holder, CHANGES);
    const cpu = (cpuMicroseconds([gateway.pid]) - before) / CHANGES;
    const each = held.map((bytes) => (bytes / streams / 1_024).toFixed(1));
    const cells = streams === TENANTS ? ['', ''] : each;
    console.log(`| ${streams} | ${cells.join(' | ')} | ${p50.toFixed(1)} | ${cpu.toFixed(0)} |`);
    await holder.stop();
    await running.end();
  }
}

async function changed(holder: BenchProcess, changes: number): Promise<number> {
  holder.child.stdin?.write(`${changes}\n`);
  return (await holder.nextMessage()).p50 ?? 0;
}

function residentBytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
