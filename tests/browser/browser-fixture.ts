import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { Chromium } from './chromium.ts';

/** Chromium, and a site whose pages have the official client. The site has two origins: by its address, and by its name. */
export class BrowserFixture {
  private readonly server: Server;
  private readonly chromium: Chromium;

  private constructor(server: Server, chromium: Chromium) {
    this.server = server;
    this.chromium = chromium;
  }

  static async start(): Promise<BrowserFixture> {
    return new BrowserFixture(await servePages(await bundlePageScript()), await Chromium.start());
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get otherOrigin(): string {
    return `http://localhost:${this.port}`;
  }

  openPage(origin = this.origin): Promise<Page> {
    return this.chromium.openPage(`${origin}/`);
  }

  async stop(): Promise<void> {
    await this.chromium.stop();
    this.server.close();
    this.server.closeAllConnections();
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
