import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { BinarySource } from './redis-source.ts';
import { probeServerBinary } from './server-binary.ts';

const NAMES = ['redis-server', 'valkey-server'];

/** A server that is installed: the first program of either name on PATH that runs and is new enough. */
export const pathBinary: BinarySource = {
  provides: 'binary',
  name: `${NAMES.join(' or ')} on PATH`,
  async find({ env }) {
    const reasons: string[] = [];
    for (const dir of (env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
      for (const name of NAMES) {
        const command = join(dir, name);
        if (!(await isProgram(command))) continue;
        const probed = await probeServerBinary(command, env, 'path');
        if (!('missing' in probed)) return probed;
        reasons.push(probed.missing);
      }
    }
    return { missing: reasons.join('; ') || 'neither is there' };
  },
};

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
