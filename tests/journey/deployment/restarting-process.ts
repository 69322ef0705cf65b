import { setTimeout as pause } from 'node:timers/promises';
import {
  AGENT_READY_LINE,
  BatonProcess,
  GATEWAY_READY_LINE,
  WORKER_READY_LINE,
} from '../../processes/baton-process.ts';

const READY = { gateway: GATEWAY_READY_LINE, worker: WORKER_READY_LINE, agent: AGENT_READY_LINE };

/** A freed port may be in use for a moment, since the system gives it to any connection. */
const TRIES = 20;

/** One process of the deployment, started again after each kill; a gateway keeps its port. */
export class RestartingProcess {
  readonly name: string;
  /** All lines of its output, over all restarts. */
  readonly output: string[] = [];
  private readonly role: 'gateway' | 'worker' | 'agent';
  private readonly entry: string;
  private readonly environment: NodeJS.ProcessEnv;
  private process: BatonProcess | undefined;
  private restarting: Promise<void> = Promise.resolve();
  private stopped = false;
  private port = '0';

  constructor(
    role: 'gateway' | 'worker' | 'agent',
    n: number,
    entry: string,
    environment: NodeJS.ProcessEnv,
  ) {
    this.role = role;
    this.name = `${role}-${n}`;
    this.entry = entry;
    this.environment = { ...environment, BATON_REPLICA: this.name };
  }

  /** A gateway's base URL, running or not. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    for (let tried = 1; !this.stopped; tried++) {
      try {
        const environment = { ...this.environment, PORT: this.port };
        const onLine = (line: string) => void this.output.push(line);
        const started = await BatonProcess.start(
          this.role,
          environment,
          READY[this.role],
          this.entry,
          onLine,
        );
        if (started.url !== '') this.port = new URL(started.url).port;
        this.process = started;
        // `stop` may have been called during the start.
        if (this.stopped) await started.stop('SIGKILL');
        return;
      } catch (error) {
        if (this.port === '0' || tried === TRIES) throw error;
        await pause(200);
      }
    }
  }

  /** Kills its process with SIGKILL and starts another one; false when none runs. */
  kill(): boolean {
    const { process: killed } = this;
    if (killed === undefined) return false;
    this.process = undefined;
    this.restarting = killed.stop('SIGKILL').then(() => this.start());
    // waitUntilRestarted reports a failure.
    this.restarting.catch(() => {});
    return true;
  }

  /** Waits for a restart under way, if any. */
  async waitUntilRestarted(): Promise<void> {
    await this.restarting;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.restarting.catch(() => {});
    await this.process?.stop('SIGKILL');
  }
}
