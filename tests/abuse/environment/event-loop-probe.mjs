// Preloaded into a process under test (`node --import`): reports the longest block of its event loop over IPC. A timer
// ticks every 5 ms; a block is the CPU time that the main thread used between two ticks, so that neither a busy machine
// nor other threads of the process count. Plain JavaScript, since it is loaded before anything else.
import { closeSync, openSync, readSync } from 'node:fs';

const EVERY_MS = 5;

/** Milliseconds that the main thread ran, and that it was runnable without a CPU; Linux counts both per thread. */
function openClock() {
  let file;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    // Other systems count CPU time per process only, with all threads.
    return () => ({ ran: process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000, stood: 0 });
  }
  process.once('exit', () => closeSync(file));
  const buffer = Buffer.alloc(128);
  return () => {
    const [ran, stood] = buffer.toString('latin1', 0, readSync(file, buffer, 0, 128, 0)).split(' ');
    return { ran: Number(ran) / 1e6, stood: Number(stood) / 1e6 };
  };
}

if (process.send) {
  const clock = openClock();
  let last = clock();
  let taken = last;
  let worst = 0;
  const tick = () => {
    const now = clock();
    worst = Math.max(worst, now.ran - last.ran);
    last = now;
  };
  setInterval(tick, EVERY_MS).unref();
  process.on('message', (message) => {
    if (message?.probe !== 'take') return;
    tick();
    process.send({ probe: 'taken', blockedMs: worst, waitedForCpuMs: last.stood - taken.stood });
    worst = 0;
    taken = last;
  });
}
