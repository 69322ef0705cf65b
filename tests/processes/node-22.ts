import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * The path of a Node 22 or newer, as Baton's image has one. Beside an older Node npm brings a binary, which is no dependency since it would be the `node` of
 * every script.
 */
export async function findNode22OrNewer(): Promise<string> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}@22.23.5`;
  const args = ['exec', '--yes', `--package=${name}`, '-c', 'node -p process.execPath'];
  const { stdout } = await promisify(execFile)('npm', args);
  return stdout.trim();
}
