import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { GroupedWrites } from './grouped-writes.ts';

/** A stream that keeps what each of its writes carried. */
function recorder() {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  return { stream, writes };
}

function send(groups: GroupedWrites, stream: Writable, command: string): void {
  groups.begin(stream);
  stream.write(command);
}

test('what comes in one turn of the event loop leaves in one write, without waiting for anything else', async () => {
  const { stream, writes } = recorder();
  const groups = new GroupedWrites();
  for (const command of ['a', 'b', 'c']) send(groups, stream, command);
  expect(writes).toEqual([]);
  await turn();
  expect(writes).toEqual(['abc']);
});

test('what comes while commands are on their way gathers until the first of them is answered', async () => {
  const { stream, writes } = recorder();
  const groups = new GroupedWrites();
  send(groups, stream, 'a');
  send(groups, stream, 'b');
  await turn();
  send(groups, stream, 'c');
  await turn();
  send(groups, stream, 'd');
  await turn();
  expect(writes).toEqual(['ab']);
  groups.replied(stream);
  await turn();
  expect(writes).toEqual(['ab', 'cd']);
});

test('a group that the socket could not take yet is never held up by the next one', async () => {
  const writes: string[] = [];
  let taken = () => {};
  const take = (text: string, done: () => void) => {
    writes.push(text);
    taken = done;
  };
  const slow = new Writable({
    write: (chunk: Buffer, _encoding, done) => take(chunk.toString(), done),
    writev: (chunks, done) => take(chunks.map(({ chunk }) => String(chunk)).join(''), done),
  });
  const groups = new GroupedWrites();
  send(groups, slow, 'a');
  await turn();
  send(groups, slow, 'b');
  await turn();
  send(groups, slow, 'c');
  await turn();
  expect(writes).toEqual(['a']);
  taken();
  await turn();
  expect(writes, 'without any reply').toEqual(['a', 'bc']);
});

test('after the last reply nothing waits', async () => {
  const { stream, writes } = recorder();
  const groups = new GroupedWrites();
  for (const command of ['a', 'b', 'c']) {
    send(groups, stream, command);
    await turn();
    groups.replied(stream);
  }
  expect(writes).toEqual(['a', 'b', 'c']);
});

test('a connection that was made anew never waits for replies to the former one, which are not counted for it either', async () => {
  const [first, second] = [recorder(), recorder()];
  const groups = new GroupedWrites();
  send(groups, first.stream, 'a');
  await turn();
  send(groups, first.stream, 'b');
  send(groups, second.stream, 'c');
  await turn();
  expect(second.writes).toEqual(['c']);
  groups.replied(first.stream);
  send(groups, second.stream, 'd');
  await turn();
  expect(second.writes, 'c is still on its way').toEqual(['c']);
  groups.replied(second.stream);
  await turn();
  expect(second.writes).toEqual(['c', 'd']);
});
