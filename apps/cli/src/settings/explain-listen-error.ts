import { ConfigurationError, type Settings } from './environment.ts';

const PORTS = ['PORT', 'BATON_OPERATOR_PORT', 'BATON_HEALTH_PORT', 'BATON_CONFORMANCE_PORT'] as const;

/** The system's error about an address or a port to listen at as one about the setting that holds it; any other as it is. */
export function explainListenError(error: unknown, settings: Settings): unknown {
  const { syscall, code, port, hostname } = error as NodeJS.ErrnoException & {
    readonly port?: number;
    readonly hostname?: string;
  };
  if (syscall === 'getaddrinfo' && hostname !== undefined && hostname === settings.HOST)
    return new ConfigurationError(
      `HOST is '${hostname}', which no name server knows. Set an address of this machine.`,
    );
  if (syscall !== 'listen') return error;
  if (code === 'EADDRNOTAVAIL')
    return new ConfigurationError(`HOST is '${settings.HOST ?? ''}', which is no address of this machine.`);
  if (port === undefined) return error;
  const name = PORTS.find((setting) => settings[setting] === port) ?? 'PORT';
  const why = code === 'EADDRINUSE' ? 'another process listens at it' : `it cannot be listened at (${code})`;
  return new ConfigurationError(`${name} is ${port}, and ${why}. Set another port.`);
}
