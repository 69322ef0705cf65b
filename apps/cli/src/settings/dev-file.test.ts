import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAgentSettings } from '../agent/agent-settings.ts';
import { devFilePath, readDevFile, writeDevFile } from './dev-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-dev-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const CONTENT = {
  url: 'http://127.0.0.1:1',
  mcpUrl: 'http://127.0.0.1:1/mcp',
  tenant: 'demo',
  apiKey: 'key-of-the-folder',
  operatorToken: 'token',
  redisUrl: 'redis://127.0.0.1:2',
  secret: 'secret',
};

test("a file that is its owner's alone is read", async () => {
  await writeDevFile(folder, CONTENT);
  expect(await readDevFile(folder)).toEqual(CONTENT);
});

test.each([0o666, 0o644, 0o640, 0o604, 0o620])(
  'a file that others may read or write is refused, by its path, with what mends it: %o',
  async (mode) => {
    await writeDevFile(folder, CONTENT);
    await chmod(devFilePath(folder), mode);
    await expect(readDevFile(folder)).rejects.toThrow(
      `${devFilePath(folder)} is another user's, or others may read or write it`,
    );
    await chmod(devFilePath(folder), 0o600);
    expect(await readDevFile(folder)).toEqual(CONTENT);
  },
);

test('what is no such file is refused, by its path', async () => {
  await writeFile(devFilePath(folder), '{}', { mode: 0o600 });
  await expect(readDevFile(folder)).rejects.toThrow('is not what baton dev wrote');
});

test('the address of a folder never gets a key of the environment', async () => {
  await writeDevFile(folder, CONTENT);
  const environment = { BATON_DATA_DIR: folder, OPENAI_API_KEY: 'x', BATON_LLM_MODEL: 'm' };
  const given = { ...environment, BATON_API_KEY: 'key-of-the-environment' };
  await expect(readAgentSettings({}, given)).rejects.toThrow('give --url');
  expect(await readAgentSettings({}, environment)).toMatchObject({
    url: CONTENT.mcpUrl,
    key: CONTENT.apiKey,
  });
  const both = { ...given, BATON_URL: 'http://127.0.0.1:3/mcp' };
  expect(await readAgentSettings({}, both)).toMatchObject({ url: both.BATON_URL, key: both.BATON_API_KEY });
});
