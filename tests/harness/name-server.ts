import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const TYPE_A = 1;
const NO_SUCH_NAME = 3;
const SERVER_FAILURE = 2;

/** IPv4 addresses of a name; or what the server says instead of any. */
export type NameReply = readonly string[] | 'no such name' | 'server failure';

/** A DNS server on a UDP port of 127.0.0.1, whose replies the test decides; they are kept by nobody (TTL 0). */
export class NameServer {
  private readonly socket: Socket;
  private readonly reply: (name: string) => NameReply;
  /** The names that were asked for by the addresses of IPv4, in order. */
  readonly asked: string[] = [];

  private constructor(socket: Socket, reply: (name: string) => NameReply) {
    this.socket = socket;
    this.reply = reply;
    socket.on('message', (query, { port, address }) => socket.send(this.answer(query), port, address));
  }

  static async start(reply: (name: string) => NameReply, port = 0): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, reply);
  }

  /** As `Resolver.setServers` takes it. */
  get address(): string {
    return `127.0.0.1:${(this.socket.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.socket.close();
  }

  /** RFC 1035, section 4: the question comes back, with a record for each address. */
  private answer(query: Buffer): Buffer {
    const { name, end } = readName(query);
    const isV4 = query.readUInt16BE(end) === TYPE_A;
    if (isV4) this.asked.push(name);
    const said = isV4 ? this.reply(name) : this.replyForV6(name);
    const addresses = Array.isArray(said) ? (said as readonly string[]) : [];
    const header = Buffer.from(query.subarray(0, 12));
    const code = said === 'no such name' ? NO_SUCH_NAME : said === 'server failure' ? SERVER_FAILURE : 0;
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    // The name of each record is the question's, at byte 12.
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    );
    return Buffer.concat([header, query.subarray(12, end + 4), ...records]);
  }

  private replyForV6(name: string): NameReply {
    const said = this.reply(name);
    return Array.isArray(said) ? [] : said;
  }
}

function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}
