// Preloaded into a process under test (`node --import`): tells, over its IPC channel, for how long its event loop was
// held up. A tick is due every 5 ms; the time from one to the next in which no other tick came is a block. What counts
// is the processor's time that this very thread burned in it, so that a machine on which others work blames nobody,
// and neither do other threads of the process. Plain JavaScript, since it is loaded before anything else.
import { closeSync, openSync, readSync } from 'node:fs';

const EVERY_MS = 5;

/** Milliseconds that the main thread ran, and that it stood ready and was not run; Linux says both of each thread. */
function openClock() {
  let file;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    // Elsewhere the process's time must do, other threads' included.
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
