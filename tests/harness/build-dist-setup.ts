import { execFileSync } from 'node:child_process';

/** Builds dist/ once before the tests that start real processes; vitest's global set-up. */
export default function setup(): void {
  execFileSync(process.execPath, ['infra/scripts/build.mjs'], { stdio: 'inherit' });
}
