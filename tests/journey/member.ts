import { setTimeout as pause } from 'node:timers/promises';
import { AGENT_UP, BatonProcess, GATEWAY_UP, WORKER_UP } from '../harness/process.ts';

const UP = { gateway: GATEWAY_UP, worker: WORKER_UP, agent: AGENT_UP };

/** A port that was free may be somebody's own for a moment, since the system gives it to any connection. */
const TRIES = 20;

/** One process of the journey, started again as often as it is killed, a gateway at the port that it had. */
export class Member {
  readonly name: string;
  /** Everything that it ever said. */
  readonly said: string[] = [];
  private readonly role: 'gateway' | 'worker' | 'agent';
  private readonly entry: string;
  private readonly environment: NodeJS.ProcessEnv;
  private process: BatonProcess | undefined;
  private mending: Promise<void> = Promise.resolve();
  private over = false;
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

  /** Where a gateway listens, whether it is there or not. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    for (let tried = 1; !this.over; tried++) {
      try {
        const environment = { ...this.environment, PORT: this.port };
        const heard = (line: string) => void this.said.push(line);
        const started = await BatonProcess.start(this.role, environment, UP[this.role], this.entry, heard);
        if (started.url !== '') this.port = new URL(started.url).port;
        this.process = started;
        // It may have been told to end while it was starting.
        if (this.over) await started.end('SIGKILL');
        return;
      } catch (error) {
        if (this.port === '0' || tried === TRIES) throw error;
        await pause(200);
      }
    }
  }

  /** Ends its process with -9, and starts another one at once; false when there is none. */
  kill(): boolean {
    const { process: killed } = this;
    if (killed === undefined) return false;
    this.process = undefined;
    this.mending = killed.end('SIGKILL').then(() => this.start());
    // Whoever waits until it is back hears of a failure.
    this.mending.catch(() => {});
    return true;
  }

  /** Waits until it is back, if it was killed. */
  async back(): Promise<void> {
    await this.mending;
  }

  async end(): Promise<void> {
    this.over = true;
    await this.mending.catch(() => {});
    await this.process?.end('SIGKILL');
  }
}
