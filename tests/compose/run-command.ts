import { spawn } from 'node:child_process';

/** Runs a command; returns its standard output. Errors: with its whole output when it fails. */
export async function runCommand(
  [name = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const child = spawn(name, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let all = '';
  child.stdout.on('data', (data: Buffer) => {
    out += String(data);
    all += String(data);
  });
  child.stderr.on('data', (data: Buffer) => (all += String(data)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}:\n${all.slice(-3_000)}`);
  return out.trim();
}
