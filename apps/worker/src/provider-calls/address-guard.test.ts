import { expect, test } from 'vitest';
import { AddressGuard, RefusedAddressError } from './address-guard.ts';

const guard = new AddressGuard([]);

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => expect(guard.isAllowed(address)).toBe(true),
);

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '168.63.129.16',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '192.0.2.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  'no address',
  '',
])('%s is never called', (address) => expect(guard.isAllowed(address)).toBe(false));

test('a network that the operator allows is called, and none beside it', () => {
  const allowing = new AddressGuard(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.7/32']);
  for (const address of ['10.1.2.3', 'fd00:1::9', '127.0.0.7', '8.8.8.8'])
    expect([address, allowing.isAllowed(address)]).toEqual([address, true]);
  for (const address of ['10.2.0.1', 'fd00:2::9', '127.0.0.1', '169.254.169.254'])
    expect([address, allowing.isAllowed(address)]).toEqual([address, false]);
});

test.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'example.com/8', '10.0.0.0/', ''])(
  '%j is no network',
  (network) => expect(() => new AddressGuard([network])).toThrow('CIDR'),
);

test('a name that says that it is local is refused, as are addresses in any spelling that a URL has', async () => {
  for (const host of ['localhost', 'a.localhost', 'LOCALHOST.', '127.0.0.1', '::1'])
    await expect(guard.resolve(host)).rejects.toBeInstanceOf(RefusedAddressError);
  expect(new URL('http://2130706433/').hostname, 'the URL parser spells them out').toBe('127.0.0.1');
});
