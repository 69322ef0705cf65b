import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '../checker.ts';
import type { Violation } from '../evidence.ts';
import { Fleet } from '../fleet.ts';
import { Heartbeat } from '../heartbeat.ts';
import { History } from '../history.ts';
import { probe } from '../probe.ts';
import { readFinal } from '../read-final.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Hand } from './hand.ts';
import type { Mutation } from './mutation.ts';

/** Plays a mutation's scene on the release behind `entry`, mutated or not, and gives what the checker says of it. */
export async function perform(mutation: Mutation, entry: string): Promise<Violation[]> {
  const dir = temporaryFolder('history');
  const history = new History(join(dir, 'scene.jsonl'));
  const heart = new Heartbeat(history);
  const fleet = await Fleet.start({ ...mutation.fleet, entry }, history, { idle: true });
  try {
    const hand = new Hand(fleet, history);
    await mutation.play({ fleet, hand });
    const final = await readFinal(fleet);
    await probe({ fleet, history }, history.entries, hand.plans);
    return check(history.entries, final);
  } finally {
    heart.stop();
    await fleet.stop();
    await history.close();
    await rm(dir, { recursive: true });
  }
}
