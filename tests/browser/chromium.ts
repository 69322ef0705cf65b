import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** Without these Chromium calls its maker's hosts at every start. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A Chromium with a folder of its own. */
export class Chromium {
  private readonly context: BrowserContext;
  private readonly folder: string;

  private constructor(context: BrowserContext, folder: string) {
    this.context = context;
    this.folder = folder;
  }

  static async start(): Promise<Chromium> {
    const folder = await mkdtemp(join(tmpdir(), 'baton-browser-'));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      headless: true,
      args: FLAGS,
    });
    return new Chromium(context, folder);
  }

  async openPage(url: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(url);
    return page;
  }

  async stop(): Promise<void> {
    await this.context.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
