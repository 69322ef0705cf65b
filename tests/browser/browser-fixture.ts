import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** Without these Chromium calls its maker's hosts at every start. */
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Chromium, and a site whose pages have the official client. The site has two origins: by its address, and by its name. */
export class BrowserFixture {
  private readonly server: Server;
  private readonly folder: string;
  private readonly context: BrowserContext;

  private constructor(server: Server, folder: string, context: BrowserContext) {
    this.server = server;
    this.folder = folder;
    this.context = context;
  }

  static async start(): Promise<BrowserFixture> {
    const server = await servePages(await bundlePageScript());
    const folder = await mkdtemp(join(tmpdir(), 'baton-browser-'));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      headless: true,
      args: CHROMIUM_FLAGS,
    });
    return new BrowserFixture(server, folder, context);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get otherOrigin(): string {
    return `http://localhost:${this.port}`;
  }

  async openPage(origin = this.origin): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(`${origin}/`);
    return page;
  }

  async stop(): Promise<void> {
    await this.context.close();
    this.server.close();
    this.server.closeAllConnections();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
}

async function bundlePageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page-script.ts')],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

async function servePages(script: string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? script : '<!doctype html><script src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return server;
}
