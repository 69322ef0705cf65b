import { closeConnections } from '../processes/minimal-http-client.ts';
import { sendToParent } from '../processes/parent-process.ts';
import type { Endpoint } from '../processes/project-calls.ts';
import { talk } from './assistant-calls.ts';

/**
 * Conversations that grow: `hold-conversations <url> <key> <conversations>` begins so many, and for each line of input, a number of
 * messages, goes on with all of them until they have that many, and reports how many turns that took.
 */
const [url = '', key = '', count = '1'] = process.argv.slice(2);
const at: Endpoint = { url, key };
const LANES = 16;
const MESSAGE = 'When does the next ferry leave, and is there room for two bicycles? '.repeat(2);
const SAID =
  'At half past nine from the second pier. Bicycles go on the lower deck, and there is room. '.repeat(3);

const ids: (string | undefined)[] = Array.from({ length: Number(count) });
let messages = 0;

async function growTo(most: number): Promise<void> {
  let turns = 0;
  const left = [...ids.keys()];
  const lane = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (let held = messages; held < most; held += 2) {
        ids[next] = await talk(at, MESSAGE, SAID, ids[next]);
        turns++;
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  messages = most;
  sendToParent({ trips: turns });
}

let grown = Promise.resolve();
process.stdin.on('data', (most) => {
  grown = grown.then(() => growTo(Number(String(most))));
});
process.stdin.on('end', closeConnections);
// Between measurements nothing else keeps the process alive.
process.stdin.ref?.();
