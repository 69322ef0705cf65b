import { randomBytes } from 'node:crypto';
import { findFreePorts } from '../harness/free-ports.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { runCommand } from './run-command.ts';

export type Service = 'redis' | 'gateway' | 'worker' | 'caddy';

/** docker-compose.yml, started under a project name, port and secrets of its own. */
export class ComposeStack {
  readonly url: string;
  readonly operatorToken = randomBytes(16).toString('hex');
  readonly redisPassword = randomBytes(16).toString('hex');
  private readonly compose: readonly string[];
  private readonly environment: NodeJS.ProcessEnv;

  private constructor(compose: readonly string[], port: number, prometheusPort: number) {
    this.compose = compose;
    this.url = `http://127.0.0.1:${port}`;
    this.environment = {
      COMPOSE_PROJECT_NAME: `baton-e2e-${process.pid}`,
      BATON_PORT: String(port),
      BATON_PROMETHEUS_PORT: String(prometheusPort),
      // A version of its own, so that no image of an operator is replaced.
      BATON_VERSION: 'e2e',
      BATON_SECRET: randomBytes(16).toString('hex'),
      BATON_OPERATOR_TOKEN: this.operatorToken,
      BATON_REDIS_PASSWORD: this.redisPassword,
    };
  }

  /** Errors: when no container engine answers. */
  static async create(): Promise<ComposeStack> {
    await runCommand(['docker', 'version', '--format', '{{.Server.Version}}']);
    const two = await runCommand(['docker', 'compose', 'version']).catch(() => undefined);
    const compose = two === undefined ? ['docker-compose'] : ['docker', 'compose'];
    console.log(`# ${two ?? (await runCommand(['docker-compose', 'version', '--short']))}`);
    const [port = 0, prometheusPort = 0] = await findFreePorts(2);
    return new ComposeStack(compose, port, prometheusPort);
  }

  /** Builds both images; again when the sources changed in between, since the roles must be of one release. */
  async build(): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      await this.run('build');
      const layers = ['gateway', 'worker'].map((role) =>
        inspectContainer(`baton-${role}:${this.environment['BATON_VERSION']}`, '{{json .RootFS.Layers}}'),
      );
      const [gateway, worker] = await Promise.all(layers);
      if (gateway === worker) return;
    }
    throw new Error('the sources changed each time while the images were built');
  }

  async up(): Promise<void> {
    await this.run('up', '-d', '--scale', 'gateway=2', '--scale', 'worker=2');
    for (const service of ['gateway', 'worker'] as const) await this.waitUntilHealthy(service);
    await waitUntilOrThrow('Caddy answers', 30_000, async () => (await fetch(`${this.url}/readyz`)).ok);
  }

  /** Starts Prometheus of the profile `monitoring`; where it listens. */
  async startPrometheus(): Promise<string> {
    await this.run('--profile', 'monitoring', 'up', '-d', '--no-deps', 'prometheus');
    return `http://127.0.0.1:${this.environment['BATON_PROMETHEUS_PORT']}`;
  }

  /** Prometheus' own checker, in the folder of its configuration. Errors: what it finds. */
  promtool(...args: string[]): Promise<string> {
    const folder = new URL('../../infra/monitoring', import.meta.url).pathname;
    const image = process.env['BATON_PROMETHEUS_IMAGE'] ?? 'prom/prometheus:latest';
    const mount = ['-v', `${folder}:/monitoring:ro`, '-w', '/monitoring'];
    return runCommand(['docker', 'run', '--rm', ...mount, '--entrypoint', 'promtool', image, ...args]);
  }

  /** Removes everything but the images. */
  async down(): Promise<void> {
    await this.run('--profile', 'monitoring', 'down', '--volumes', '--remove-orphans', '--timeout', '5');
  }

  /** `settings` are those of containers that this adds. */
  async scale(service: Service, count: number, settings: NodeJS.ProcessEnv = {}): Promise<void> {
    const up = ['up', '-d', '--no-deps', '--no-recreate', '--scale', `${service}=${count}`, service];
    await runCommand([...this.compose, ...up], { ...this.environment, ...settings });
  }

  /** The error of compose without the variable `missing`. */
  async configError(missing: string): Promise<string> {
    const config = runCommand([...this.compose, 'config'], { ...this.environment, [missing]: '' });
    return config.then(
      () => 'no error',
      (error: Error) => error.message,
    );
  }

  /** Runs the operators' script for rolling updates; `settings` are those of the new containers. Errors: what it says is wrong. */
  async rollingUpdate(services: readonly Service[], settings: NodeJS.ProcessEnv = {}): Promise<void> {
    await runCommand(['infra/docker/rolling-update.sh', ...services], { ...this.environment, ...settings });
  }

  /** Runs the operators' script for backups; what it prints. Errors: what it says is wrong. */
  backup(...args: string[]): Promise<string> {
    return runCommand(['infra/docker/backup.sh', ...args], this.environment);
  }

  /** Full ids of a service's running containers. */
  async containers(service: Service): Promise<string[]> {
    const label = (name: string, value = '') => ['--filter', `label=com.docker.compose.${name}=${value}`];
    const project = this.environment['COMPOSE_PROJECT_NAME'];
    const ids = await runCommand([
      'docker',
      'ps',
      '-q',
      '--no-trunc',
      ...label('project', project),
      ...label('service', service),
    ]);
    return ids.split('\n').filter((id) => id !== '');
  }

  async onlyContainer(service: Service): Promise<string> {
    const [id] = await this.containers(service);
    if (id === undefined) throw new Error(`no ${service} runs`);
    return id;
  }

  async waitUntilHealthy(service: Service): Promise<void> {
    for (const id of await this.containers(service)) {
      await waitUntilOrThrow(`${service} ${id.slice(0, 12)} is healthy`, 60_000, async () => {
        return (await inspectContainer(id, '{{.State.Health.Status}}')) === 'healthy';
      });
    }
  }

  redis(...args: string[]): Promise<string> {
    return this.onlyContainer('redis').then((id) => runCommand(['docker', 'exec', id, 'redis-cli', ...args]));
  }

  /** As this machine reaches it, past the network of the containers. */
  async redisUrl(): Promise<string> {
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
    const address = await inspectContainer(await this.onlyContainer('redis'), format);
    return `redis://:${this.redisPassword}@${address.trim()}:6379`;
  }

  /** The last lines of all logs. */
  async logs(): Promise<string> {
    return this.run('logs', '--no-color', '--tail', '40');
  }

  private run(...args: string[]): Promise<string> {
    return runCommand([...this.compose, ...args], this.environment);
  }
}

/** Docker commands on one container. */
export const killContainer = (id: string) => runCommand(['docker', 'kill', '--signal', 'KILL', id]);
export const startContainer = (id: string) => runCommand(['docker', 'start', id]);
export const pauseContainer = (id: string) => runCommand(['docker', 'pause', id]);
export const unpauseContainer = (id: string) => runCommand(['docker', 'unpause', id]);
export const inspectContainer = (id: string, format: string) =>
  runCommand(['docker', 'inspect', '--format', format, id]);
