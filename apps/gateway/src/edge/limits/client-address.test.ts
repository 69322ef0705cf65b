import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { addressGroup, clientAddress } from './client-address.ts';

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

test('a forwarded address counts only behind a trusted proxy, and then the one that the proxy added', () => {
  const spoofed = request('10.0.0.1', '203.0.113.9, 192.0.2.7');
  expect(clientAddress(spoofed, false)).toBe('10.0.0.1');
  expect(clientAddress(spoofed, true)).toBe('192.0.2.7');
  expect(clientAddress(request('10.0.0.1', 'nonsense'), true)).toBe('10.0.0.1');
  expect(clientAddress(request('10.0.0.1'), true)).toBe('10.0.0.1');
});
