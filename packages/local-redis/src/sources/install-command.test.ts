import { expect, test } from 'vitest';
import { installCommand } from './install-command.ts';
import { isDebianLike, parseOsRelease, currentSystem } from '../system/operating-system.ts';

const lineFor = (osRelease: string, isRoot = false) =>
  installCommand(parseOsRelease('linux', 'x64', osRelease), isRoot);

test.each([
  ['ID=debian\nVERSION_ID="12"', 'sudo apt-get install -y redis-server'],
  ['ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"', 'sudo apt-get install -y redis-server'],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"', 'sudo apt-get install -y redis-server'],
  ['ID=fedora\nVERSION_ID=42', 'sudo dnf install -y valkey'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"', 'sudo dnf install -y @redis:7'],
  ['ID="rhel"\nID_LIKE="fedora"\nVERSION_ID="10.0"', 'sudo dnf install -y valkey'],
  ['ID=alpine\nVERSION_ID=3.20.1', 'sudo apk add redis'],
  ['ID=arch', 'sudo pacman -S --noconfirm valkey'],
  ['ID="opensuse-leap"\nID_LIKE="suse opensuse"\nVERSION_ID="15.6"', 'sudo zypper install -y redis'],
])('%j is told %s', (osRelease, line) => {
  expect(lineFor(osRelease)).toBe(line);
  expect(lineFor(osRelease, true)).toBe(line.replace('sudo ', ''));
});

test.each(['ID=debian\nVERSION_ID="11"', 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"', 'ID=nixos', ''])(
  '%j, whose packages are too old or unknown, is told of Docker',
  (osRelease) => {
    expect(lineFor(osRelease)).toMatch(/^docker run .* && export REDIS_URL=redis:\/\/127\.0\.0\.1:6379$/);
  },
);

test('the command for macOS is Homebrew, for Windows Docker', () => {
  expect(installCommand(parseOsRelease('darwin', 'arm64', ''))).toBe('brew install redis');
  expect(installCommand(parseOsRelease('win32', 'x64', ''))).toContain('docker run');
});

test('only Linux with the packages of Debian is Debian-like', async () => {
  expect(isDebianLike(parseOsRelease('linux', 'x64', 'ID=pop\nID_LIKE="ubuntu debian"'))).toBe(true);
  expect(isDebianLike(parseOsRelease('linux', 'x64', 'ID=fedora'))).toBe(false);
  expect((await currentSystem()).platform).toBe(process.platform);
});
