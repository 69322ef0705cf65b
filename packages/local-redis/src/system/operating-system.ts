import { readFile } from 'node:fs/promises';

/** The operating system, as far as packages depend on it. */
export interface OperatingSystem {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** `ID` of os-release, then its `ID_LIKE`: `['ubuntu', 'debian']`. Empty where there is no such file. */
  readonly families: readonly string[];
  /** `VERSION_ID`, or the code name, or `rolling`. */
  readonly version: string;
  /** For messages. */
  readonly prettyName: string;
}

/** This machine. */
export async function currentSystem(): Promise<OperatingSystem> {
  for (const path of ['/etc/os-release', '/usr/lib/os-release']) {
    try {
      return parseOsRelease(process.platform, process.arch, await readFile(path, 'utf8'));
    } catch {
      // The second place is the file's home where /etc is not set up; other platforms have neither.
    }
  }
  return parseOsRelease(process.platform, process.arch, '');
}

/** Reads os-release(5). */
export function parseOsRelease(platform: NodeJS.Platform, arch: string, osRelease: string): OperatingSystem {
  const fields = new Map<string, string>();
  for (const [, key, value] of osRelease.matchAll(/^([A-Z_]+)=["']?(.*?)["']?\s*$/gm)) {
    if (key && value) fields.set(key, value);
  }
  return {
    platform,
    arch,
    families: `${fields.get('ID') ?? ''} ${fields.get('ID_LIKE') ?? ''}`.split(' ').filter(Boolean),
    version: fields.get('VERSION_ID') ?? fields.get('VERSION_CODENAME') ?? 'rolling',
    prettyName: fields.get('PRETTY_NAME') ?? platform,
  };
}

/** Whether the system's packages are Debian's or made from them. */
export function isDebianLike({ platform, families }: OperatingSystem): boolean {
  return platform === 'linux' && families.some((family) => family === 'debian' || family === 'ubuntu');
}
