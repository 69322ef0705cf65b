import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigurationError } from './environment.ts';

/** `dev.json`: what `baton dev` leaves for people, scripts and its own next start. */
const devFile = z.object({
  url: z.string(),
  mcpUrl: z.string(),
  tenant: z.string(),
  apiKey: z.string(),
  operatorToken: z.string(),
  redisUrl: z.string(),
  secret: z.string(),
});
export type DevFile = z.infer<typeof devFile>;

const OPEN_TO_OTHERS = 0o077;

/** The file of an earlier start, or undefined. Throws ConfigurationError when it cannot be read as one, or is not its user's alone. */
export async function readDevFile(dataDir: string): Promise<DevFile | undefined> {
  const path = devFilePath(dataDir);
  let text: string;
  try {
    const { uid, mode } = await stat(path);
    const own = process.getuid === undefined || uid === process.getuid();
    if (!own || (mode & OPEN_TO_OTHERS) !== 0)
      throw new ConfigurationError(
        `${path} is another user's, or others may read or write it: its keys may be known, and its address may not be yours. ` +
          'If it is yours, chmod 600 makes it yours alone; otherwise name a folder of your own with BATON_DATA_DIR',
      );
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return undefined;
  }
  try {
    return devFile.parse(JSON.parse(text));
  } catch {
    throw new ConfigurationError(`${path} is not what baton dev wrote; delete it to start with new keys`);
  }
}

/** Writes it whole or not at all, for its owner's eyes only. */
export async function writeDevFile(dataDir: string, content: DevFile): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = devFilePath(dataDir);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

export function devFilePath(dataDir: string): string {
  return join(resolve(dataDir), 'dev.json');
}

export function newSecret(): string {
  return randomBytes(24).toString('base64url');
}
