import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { RestTestClient } from '../../../apps/gateway/src/rest/testing/test-replicas.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../../harness/in-process-deployment.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { Chromium } from '../chromium.ts';

/** Where `npm run e2e:browser` builds it. */
const BUILT = join(import.meta.dirname, '../../../dist/console');
const SCREENSHOTS = process.env['CONSOLE_SCREENSHOTS'];

/** The console as it is built, served by two gateways, in a Chromium. */
export class ConsoleFixture {
  readonly baton: InProcessDeployment;
  private readonly chromium: Chromium;
  /** What pages wrote to their consoles as errors: a violation of the page's policy is one. */
  readonly pageErrors: string[] = [];

  private constructor(baton: InProcessDeployment, chromium: Chromium) {
    this.baton = baton;
    this.chromium = chromium;
  }

  static async start(): Promise<ConsoleFixture> {
    const baton = await InProcessDeployment.start({
      gateways: 2,
      workers: 1,
      gateway: { consoleFolder: BUILT },
    });
    return new ConsoleFixture(baton, await Chromium.start());
  }

  /** The console in a page of its own, signed in. */
  async open(credential: string, route = ''): Promise<Page> {
    const page = await this.openAt(`${this.baton.url(0)}/console/${route}`);
    await this.signIn(page, credential);
    return page;
  }

  async openAt(url: string): Promise<Page> {
    const page = await this.chromium.openPage(url);
    page.on('console', (message) => {
      if (message.type() === 'error') this.pageErrors.push(message.text());
    });
    page.on('pageerror', (error) => this.pageErrors.push(String(error)));
    return page;
  }

  async signIn(page: Page, credential: string): Promise<void> {
    await page.getByLabel('API key or operator token').fill(credential);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  asOperator(method: string, path: string, json?: object): Promise<{ status: number; body: AnyJson }> {
    return new RestTestClient(this.baton.url(1)).send(method, path, {
      token: OPERATOR_TOKEN,
      ...(json && { json }),
    });
  }

  /** Calls a tool at the other replica; its reply. */
  async call(name: string, args: object, token = this.baton.apiKey): Promise<AnyJson> {
    const { status, body } = await new RestTestClient(this.baton.url(1)).send('POST', `/v1/tools/${name}`, {
      token,
      json: args,
    });
    if (status >= 300) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /**
   * What is wrong with the page as it is, in both sizes and themes: what axe calls serious or critical, and what stands out of it. Where
   * `CONSOLE_SCREENSHOTS` names a folder, it is drawn into it.
   */
  async findVisibleFaults(page: Page, name: string): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      // Colours that are on their way to others have neither's contrast.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        const look = `${name}-${colorScheme}-${width}`;
        if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${look}.png`) });
        for (const problem of await this.seriousProblems(page)) faults.push(`${look}: ${problem}`);
        const needed = Number(await page.evaluate('document.documentElement.scrollWidth'));
        if (needed > width) faults.push(`${look}: is ${needed} px wide`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    return faults;
  }

  /** What axe finds serious or critical on the page as it is. */
  private async seriousProblems(page: Page): Promise<readonly string[]> {
    // As the devtools do it: the page's policy lets no script of others in.
    const session = await page.context().newCDPSession(page);
    await session.send('Runtime.evaluate', { expression: axe.source });
    const { result } = await session.send('Runtime.evaluate', {
      expression: 'axe.run().then(({ violations }) => JSON.stringify(violations))',
      awaitPromise: true,
      returnByValue: true,
    });
    await session.detach();
    const violations = JSON.parse(String(result.value)) as AnyJson[];
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node: AnyJson) => node.html).join(' ')}`);
  }

  async stop(): Promise<void> {
    await this.chromium.stop();
    await this.baton.stop();
  }
}
