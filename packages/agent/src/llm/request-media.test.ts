import { expect, test } from 'vitest';
import { isPublicHostName, mediaTypeOrDefault, RequestMedia, requireBase64 } from './request-media.ts';

test.each(['images.example.com', 'EXAMPLE.org', 'a-b.example'])('%s is a host that may be listed', (host) => {
  expect(isPublicHostName(host)).toBe(true);
});

test.each([
  '',
  '127.0.0.1',
  '169.254.169.254',
  '2852039166',
  '0x7f.1',
  '[::1]',
  '::1',
  'localhost',
  'a.localhost',
  'redis',
  'printer.local',
  'metadata.google.internal',
  'metadata.google.internal.',
  'example.com:8080',
  'example.com/a',
  'user@example.com',
  '*.example.com',
])('%j may never be listed', (host) => {
  expect(isPublicHostName(host)).toBe(false);
  expect(() => new RequestMedia([host])).toThrow('is no public host name');
});

test('base64 is taken as it is, and a long text that is none is refused at once', () => {
  expect(requireBase64('AAAA\r\nBBBB-_==\n')).toBe('AAAA\r\nBBBB-_==\n');
  expect(() => requireBase64(`${' '.repeat(1_000_000)}:`)).toThrow('is not base64');
});

test.each([
  ['image/png', 'image/png'],
  ['image/svg+xml', 'image/svg+xml'],
  ['text/html;charset=x', 'image/*'],
  [7, 'image/*'],
])('the media type %j is read as %s', (given, read) => {
  expect(mediaTypeOrDefault(given, 'image/*')).toBe(read);
});
