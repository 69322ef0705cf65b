import { attacks } from './attacks.ts';
import { sendToParent } from './parent-process.ts';

/**
 * A tenant that does what its limits allow, until it is killed: `attacker <attack> <urls> <key> <pid of the worker>`. It
 * prints a line when its preparations are over and it has begun.
 */
const [name = '', urls = '', key = '', worker = '0'] = process.argv.slice(2);
const attack = attacks[name];
if (attack === undefined) throw new Error(`no attack is called ${name}`);
await attack({ urls: urls.split(','), key, worker: Number(worker) }, () => sendToParent({}));
