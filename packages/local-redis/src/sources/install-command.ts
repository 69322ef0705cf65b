import type { OperatingSystem } from '../system/operating-system.ts';

const IN_DOCKER =
  'docker run -d --name baton-redis -p 127.0.0.1:6379:6379 redis:7-bookworm redis-server --appendonly yes' +
  ' --maxmemory-policy noeviction && export REDIS_URL=redis://127.0.0.1:6379';

/** The one line that gives this system a Redis that is new enough. */
export function installCommand(system: OperatingSystem, isRoot = process.getuid?.() === 0): string {
  const sudo = isRoot ? '' : 'sudo ';
  if (system.platform === 'darwin') return 'brew install redis';
  if (system.platform !== 'linux') return IN_DOCKER;
  const major = Number.parseInt(system.version, 10);
  for (const family of system.families) {
    switch (family) {
      case 'debian':
        // Only a Debian's own number says how old its packages are; one that is derived counts otherwise.
        return system.families[0] === 'debian' && major < 12
          ? IN_DOCKER
          : `${sudo}apt-get install -y redis-server`;
      case 'ubuntu':
        return system.families[0] === 'ubuntu' && major < 23
          ? IN_DOCKER
          : `${sudo}apt-get install -y redis-server`;
      case 'fedora':
        if (system.families[0] === 'fedora') return `${sudo}dnf install -y valkey`;
        break;
      case 'rhel':
      case 'centos':
        return `${sudo}dnf install -y ${major < 10 ? '@redis:7' : 'valkey'}`;
      case 'alpine':
        return `${sudo}apk add redis`;
      case 'arch':
        return `${sudo}pacman -S --noconfirm valkey`;
      case 'suse':
      case 'opensuse':
        return `${sudo}zypper install -y redis`;
    }
  }
  return IN_DOCKER;
}
