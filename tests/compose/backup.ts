import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ComposeStack } from './compose-stack.ts';
import { runCommand } from './run-command.ts';

/** A rewrite of the append-only file lasts for some seconds then. */
const SLOW_KEY_MICROSECONDS = '50000';

/** A backup that is begun within a rewrite of the append-only file can be restored; one that lacks a file is refused. */
export async function checkBackup(stack: ComposeStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-backup-'));
  const archive = join(folder, 'baton.tgz');
  const isRewriting = async () =>
    (await stack.redis('info', 'persistence')).includes('aof_rewrite_in_progress:1');
  try {
    await stack.redis('config', 'set', 'rdb-key-save-delay', SLOW_KEY_MICROSECONDS);
    await stack.redis('bgrewriteaof');
    assert.ok(await isRewriting(), 'a rewrite runs');
    const said = await stack.backup(archive);
    assert.ok(!(await isRewriting()), 'the backup waited for the end of the rewrite');
    assert.match(said, /a Redis starts on it, with [1-9]\d* keys/);
    assert.equal((await stat(archive)).mode & 0o077, 0, 'nobody else reads it');
    assert.match(await stack.redis('config', 'get', 'auto-aof-rewrite-percentage'), /100/);

    await runCommand(['tar', '-C', folder, '-xzf', archive]);
    await runCommand([
      'sh',
      '-c',
      `cd ${folder} && rm appendonlydir/*.base.* && tar -czf lacks.tgz appendonlydir`,
    ]);
    await assert.rejects(stack.backup('check', join(folder, 'lacks.tgz')), /no Redis starts on the archive/);
    await runCommand(['sh', '-c', `cd ${folder} && mkdir empty && tar -C empty -czf empty.tgz .`]);
    await assert.rejects(stack.backup('check', join(folder, 'empty.tgz')), /the archive holds no data/);
    return said;
  } finally {
    await stack.redis('config', 'set', 'rdb-key-save-delay', '0');
    await rm(folder, { recursive: true, force: true });
  }
}
