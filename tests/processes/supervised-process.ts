import { setTimeout as pause } from 'node:timers/promises';
import { AGENT_READY_LINE, BatonProcess, GATEWAY_READY_LINE, WORKER_READY_LINE } from './baton-process.ts';

const READY = { gateway: GATEWAY_READY_LINE, worker: WORKER_READY_LINE, agent: AGENT_READY_LINE };

/** A freed port may be in use for a moment, since the system gives it to any connection; and Redis may be down. */
const TRIES = 20;

/** A real process that is started again after each end, as a container runtime would do; a gateway keeps its port. */
export class SupervisedProcess {
  readonly name: string;
  /** All lines of its output, over all restarts. */
  readonly output: string[] = [];
  private readonly role: keyof typeof READY;
  private readonly entry: string;
  private readonly environment: NodeJS.ProcessEnv;
  private process: BatonProcess | undefined;
  private restarting: Promise<void> = Promise.resolve();
  private wasStarted = false;
  private isStopped = false;
  private port = '0';

  /** @param entry the built command. */
  constructor(role: keyof typeof READY, n: number, entry: string, environment: NodeJS.ProcessEnv) {
    this.role = role;
    this.name = `${role}-${n}`;
    this.entry = entry;
    this.environment = { ...environment, BATON_REPLICA: this.name };
  }

  /** A gateway's base URL, running or not. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.process !== undefined;
  }

  /** Errors: when its first start fails, or twenty tries of a later one. */
  async start(): Promise<void> {
    for (let tried = 1; !this.isStopped; tried++) {
      try {
        const environment = { ...this.environment, PORT: this.port };
        const onLine = (line: string) => void this.output.push(line);
        const ready = READY[this.role];
        const started = await BatonProcess.start(this.role, environment, ready, this.entry, onLine);
        if (started.url !== '') this.port = new URL(started.url).port;
        this.wasStarted = true;
        this.process = started;
        // `stop` may have been called during the start.
        if (this.isStopped) await started.stop('SIGKILL');
        return;
      } catch (error) {
        if (!this.wasStarted || tried === TRIES) throw error;
        await pause(200);
      }
    }
  }

  /** Ends its process and starts another one `after` milliseconds later. */
  async restart(signal: 'SIGKILL' | 'SIGTERM', after = 0): Promise<void> {
    await this.end(signal);
    await pause(after);
    await this.start();
  }

  /** Kills its process and starts another one; false when none runs. */
  kill(): boolean {
    if (this.process === undefined) return false;
    this.restarting = this.restart('SIGKILL');
    // waitUntilRestarted reports a failure.
    this.restarting.catch(() => {});
    return true;
  }

  /** Waits for a restart by `kill`, if one is under way. */
  async waitUntilRestarted(): Promise<void> {
    await this.restarting;
  }

  pause(): void {
    this.process?.child.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.child.kill('SIGCONT');
  }

  /** Kills it for good. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.restarting.catch(() => {});
    await this.end('SIGKILL');
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { process: ending } = this;
    this.process = undefined;
    // A process under SIGSTOP receives only SIGKILL.
    if (signal === 'SIGTERM') ending?.child.kill('SIGCONT');
    await ending?.stop(signal);
  }
}
