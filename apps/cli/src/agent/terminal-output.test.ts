import type { AgentEvent, DelegatedRequest } from '@baton/agent';
import { afterEach, expect, test, vi } from 'vitest';
import { TerminalOutput } from './terminal-output.ts';
import type { AgentSettings } from './agent-settings.ts';

/** A terminal that obeys what the screen uses: lines, and going up to erase what is below. */
class Terminal {
  readonly columns = 80;
  readonly rows = 10;
  lines: string[] = [];

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex -- a terminal's commands begin with one
    const [, up] = /^\u001b\[(\d+)A\u001b\[J$/.exec(text) ?? [];
    if (up !== undefined) this.lines.length -= Number(up);
    else this.lines.push(...text.replace(/\n$/, '').split('\n'));
  }
}

const settings = {
  url: 'http://127.0.0.1:8080/mcp',
  provider: 'openai',
  endpoint: 'http://127.0.0.1:11434/v1',
  models: { other: 'small', research: 'large' },
  concurrency: 4,
} as unknown as AgentSettings;

const NONE = {
  answered: 0,
  rejected: 0,
  failed: 0,
  superseded: 0,
  abandoned: 0,
  tasksCompleted: 0,
  tasksFailed: 0,
};

const request = (interactionId: string, summary = 'Plan from a document'): DelegatedRequest => ({
  interactionId,
  taskId: 't',
  operation: 'parse_prd',
  role: 'main',
  serviceType: 'generateObject',
  attempt: 1,
  principal: 'caller',
  summary,
  expiresAt: '2026-01-01T00:00:00.000Z',
  request: { apiKey: null, modelId: 'm', messages: [] },
});

afterEach(() => {
  vi.useRealTimers();
});

function shown(events: readonly AgentEvent[]) {
  vi.useFakeTimers();
  const terminal = new Terminal();
  const screen = new TerminalOutput(terminal);
  screen.begin(settings);
  for (const event of events) screen.event(event);
  return { terminal, screen };
}

test('what is in flight stands below, once, and what ended above it', () => {
  const { terminal, screen } = shown([
    { kind: 'claimed', request: request('a') },
    { kind: 'claimed', request: request('b') },
    {
      kind: 'answered',
      request: request('a'),
      tookMs: 1_500,
      model: 'small',
      usage: { inputTokens: 10, outputTokens: 20 },
      task: { taskId: 't', status: 'completed' },
    },
    { kind: 'retrying', request: request('b'), type: 'rate_limit_error', message: 'slow down', inMs: 4_000 },
  ]);
  vi.advanceTimersByTime(3_000);
  const rows = terminal.lines.join('\n');
  expect(rows).toContain('openai at http://127.0.0.1:11434/v1, small, research large, 4 at a time');
  expect(terminal.lines.at(-3)).toBe('  answered  parse_prd: Plan from a document  1.5 s, 10+20 tokens');
  expect(terminal.lines.at(-2)).toContain('1 in flight   1 answered   0 failed');
  expect(terminal.lines.at(-1)).toMatch(
    /parse_prd: Plan from a document +3\.0 s {2}again in 4\.0 s: slow down$/,
  );
  expect(rows.match(/\d in flight/g)).toHaveLength(1);
  screen.end({ ...NONE, answered: 1, abandoned: 1, tasksCompleted: 1 });
  expect(terminal.lines.join('\n')).not.toMatch(/\d in flight/);
  expect(terminal.lines.at(-2)).toContain('1 answered, 0 rejected, 0 failed, 1 let go in');
  expect(terminal.lines.at(-1)).toBe('  Tasks: 1 completed, 0 failed.');
});

test('reasons stand whole on rows of their own, whatever their length', () => {
  const problem = 'tasks.0.id must be a positive integer; '.repeat(8).trim();
  const error = { code: 'answer_invalid', message: 'No answer fitted in four attempts' };
  const { terminal, screen } = shown([
    { kind: 'claimed', request: request('a') },
    {
      kind: 'rejected',
      request: request('a'),
      tookMs: 900,
      problem,
      task: { taskId: 't', status: 'failed', error },
    },
    {
      kind: 'holding',
      type: 'api_error',
      message: 'The LLM endpoint cannot be reached: refused',
      inMs: 1_000,
    },
  ]);
  const said = terminal.lines.map((line) => line.trim()).join(' ');
  expect(said).toContain(`It does not fit: ${problem}`);
  expect(said).toContain(`Its task t failed with answer_invalid: ${error.message}`);
  expect(said).toContain('api_error: The LLM endpoint cannot be reached: refused');
  for (const row of terminal.lines) expect(row.length).toBeLessThan(80);
  screen.end();
});

test('more than the screen is high is counted, not shown', () => {
  const many = Array.from(
    { length: 50 },
    (_, n): AgentEvent => ({ kind: 'claimed', request: request(`${n}`) }),
  );
  const { terminal, screen } = shown(many);
  expect(terminal.lines.filter((line) => line.includes('asking'))).toHaveLength(6);
  expect(terminal.lines.at(-1)).toBe('    and 44 more');
  screen.end();
});

test('words of others never command the terminal, nor take more than a row', () => {
  const hostile = `\u001b[2J\u001b]0;owned\u0007 line\nanother\r${'x'.repeat(500)}`;
  const { terminal, screen } = shown([
    { kind: 'claimed', request: request('a', hostile) },
    { kind: 'failed', request: request('a', hostile), type: 'api_error', message: hostile, tookMs: 1 },
    { kind: 'unreachable', message: hostile, inMs: 1_000 },
  ]);
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  expect(terminal.lines.join('')).not.toMatch(/[\u0000-\u001f]/);
  for (const row of terminal.lines) expect(row.length).toBeLessThan(80);
  screen.end();
});
