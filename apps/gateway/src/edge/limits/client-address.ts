import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

/**
 * Whose limits a request counts against: the address of its connection, or, behind a trusted proxy, the one that the
 * proxy vouches for, which is the last of `X-Forwarded-For`; what stands before it may be the client's invention.
 */
export function clientAddress({ socket, headers }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined;
  if (typeof forwarded === 'string') {
    const last = forwarded.slice(forwarded.lastIndexOf(',') + 1).trim();
    if (isIP(last) !== 0) return addressGroup(last);
  }
  return addressGroup(socket.remoteAddress ?? '');
}

/** Who has one IPv6 address has its /64: these are one. IPv4 addresses are themselves, however they are written. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
