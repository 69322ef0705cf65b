import type { AgentEvent, DelegatedRequest, TaskState, Totals, Usage } from '@baton/agent';
import wrapAnsi from 'wrap-ansi';
import { plainLine } from '../output/plain-text.ts';
import type { AgentSettings } from './agent-settings.ts';

/** A terminal. */
interface Terminal {
  /** Unknown, or 0, where nobody said. */
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

interface Work {
  readonly request: DelegatedRequest;
  readonly since: number;
  doing: string;
}

const REDRAW_MS = 250;
/** Of a reason; what is longer stands in the task's error. */
const MAX_REASON_LENGTH = 2_000;
/** The rate is that of the last minute. */
const WINDOW_MS = 60_000;

/**
 * Shows an agent's work to people: what ended goes by line by line, and under it stands what is in flight, drawn again
 * as it changes.
 */
export class TerminalOutput {
  private readonly terminal: Terminal;
  private readonly working = new Map<string, Work>();
  private readonly ended: number[] = [];
  private readonly counts = { answered: 0, failed: 0, other: 0 };
  private readonly begun = Date.now();
  private notice = '';
  private drawn = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  begin({ url, provider, endpoint, models, role, operation, concurrency }: AgentSettings): void {
    const named = Object.entries(models).map(([role, id]) => (role === 'other' ? id : `${role} ${id}`));
    const llm = `${provider}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
    const only = `${operation === undefined ? '' : ` of ${operation}`}${role === undefined ? '' : ` for role ${role}`}`;
    this.say('');
    this.say(`  baton agent answers what waits${only} at ${url}`);
    this.say(
      `  by ${llm}, ${named.join(', ') || "the models of Baton's operations"}, ${concurrency} at a time`,
    );
    this.say('  Ctrl-C finishes what is in flight; a second one ends at once.');
    this.say('');
    this.timer = setInterval(() => this.draw(), REDRAW_MS);
  }

  event(event: AgentEvent): void {
    const id = 'request' in event ? event.request.interactionId : '';
    const work = this.working.get(id);
    switch (event.kind) {
      case 'claimed':
        this.working.set(id, { request: event.request, since: Date.now(), doing: 'asking' });
        this.notice = '';
        break;
      case 'repairing':
        if (work) work.doing = `asking for a repair: ${event.problem}`;
        break;
      case 'retrying':
        if (work) work.doing = `again in ${seconds(event.inMs)}: ${event.message}`;
        break;
      case 'answered':
        this.finish(event, 'answered', costOf(event), taskEnd(event.task));
        break;
      case 'rejected':
        this.finish(
          event,
          'rejected',
          costOf(event),
          `It does not fit: ${event.problem}`,
          taskEnd(event.task),
        );
        break;
      case 'failed': {
        const { type, message, task } = event;
        this.finish(event, 'failed', seconds(event.tookMs), `${type}: ${message}`, task && taskEnd(task));
        break;
      }
      case 'superseded':
        this.finish(event, 'let go', event.code);
        break;
      case 'abandoned':
        this.finish(event, 'let go', ABANDONED[event.reason]);
        break;
      case 'holding':
        this.notice = `the LLM is asked again in ${seconds(event.inMs)}`;
        this.say('  paused    the LLM endpoint does not answer; what was claimed is given back');
        this.explain(`${event.type}: ${event.message}`);
        break;
      case 'unreachable':
        this.notice = `Baton is asked again in ${seconds(event.inMs)}`;
        this.say('  paused    Baton cannot be asked');
        this.explain(event.message);
        break;
      case 'stopping':
        this.notice = 'finishing what is in flight';
        break;
    }
    this.draw();
  }

  end(totals?: Totals): void {
    clearInterval(this.timer);
    this.erase();
    if (totals === undefined) return;
    const { answered, rejected, failed, superseded, abandoned, tasksCompleted, tasksFailed } = totals;
    this.say('');
    this.say(
      `  ${answered} answered, ${rejected} rejected, ${failed} failed, ${superseded + abandoned} let go in ${seconds(Date.now() - this.begun)}.`,
    );
    this.say(`  Tasks: ${tasksCompleted} completed, ${tasksFailed} failed.`);
  }

  /** One row for what ended, and its reasons whole below it. */
  private finish(
    { request, kind }: AgentEvent & { request: DelegatedRequest },
    how: string,
    more: string,
    ...reasons: readonly (string | undefined)[]
  ): void {
    this.working.delete(request.interactionId);
    this.ended.push(Date.now());
    this.counts[
      kind === 'answered' ? 'answered' : kind === 'failed' || kind === 'rejected' ? 'failed' : 'other'
    ]++;
    this.say(`  ${how.padEnd(9)} ${labelOf(request)}  ${more}`);
    for (const reason of reasons) if (reason !== undefined) this.explain(reason);
  }

  /** A reason, on as many rows as it needs. */
  private explain(reason: string): void {
    const indent = ' '.repeat(12);
    const rows = wrapAnsi(plainLine(reason).slice(0, MAX_REASON_LENGTH), this.width() - indent.length, {
      hard: true,
    });
    for (const row of rows.split('\n')) this.say(indent + row);
  }

  private draw(): void {
    this.erase();
    const now = Date.now();
    while (this.ended[0] !== undefined && this.ended[0] < now - WINDOW_MS) this.ended.shift();
    const span = Math.min(WINDOW_MS, Math.max(1_000, now - this.begun));
    const { answered, failed } = this.counts;
    const rate = Math.round((this.ended.length / span) * 60_000);
    const all = [...this.working.values()];
    // What does not fit on the screen could not be erased again.
    const shown = all.slice(0, Math.max(1, (this.terminal.rows || 24) - 4));
    const lines = [
      `  ${this.working.size} in flight   ${answered} answered   ${failed} failed   ${rate} per minute   ${this.notice}`,
      ...shown.map(
        ({ request, since, doing }) =>
          `    ${labelOf(request)}  ${seconds(now - since).padStart(6)}  ${doing}`,
      ),
    ];
    if (all.length > shown.length) lines.push(`    and ${all.length - shown.length} more`);
    this.terminal.write(lines.map((line) => `${this.fitted(line)}\n`).join(''));
    this.drawn = lines.length;
  }

  /** A line that goes by stands above what is drawn again. */
  private say(line: string): void {
    this.erase();
    this.terminal.write(`${this.fitted(line)}\n`);
  }

  private erase(): void {
    if (this.drawn > 0) this.terminal.write(`\u001b[${this.drawn}A\u001b[J`);
    this.drawn = 0;
  }

  /** One row, whatever the terminal's width: what is erased again must be as high as it was thought to be. */
  private fitted(line: string): string {
    return plainLine(line).slice(0, this.width());
  }

  private width(): number {
    return Math.max(20, (this.terminal.columns || 80) - 1);
  }
}

const ABANDONED = {
  lease: 'its lease is over; another agent may take it',
  stopped: 'given back: the agent stops',
  endpoint: 'given back: the LLM endpoint does not answer',
} as const;

function costOf({ tookMs, usage }: { readonly tookMs: number; readonly usage?: Usage }): string {
  const { inputTokens, outputTokens } = usage ?? {};
  return `${seconds(tookMs)}${inputTokens === undefined ? '' : `, ${inputTokens}+${outputTokens} tokens`}`;
}

/** What is to be said of a task that failed. */
function taskEnd({ taskId, error }: TaskState): string | undefined {
  return error === undefined ? undefined : `Its task ${taskId} failed with ${error.code}: ${error.message}`;
}

function labelOf({ operation, role, attempt, summary }: DelegatedRequest): string {
  return `${operation}${role === 'main' ? '' : ` (${role})`}${attempt > 1 ? ` #${attempt}` : ''}: ${summary}`.slice(
    0,
    48,
  );
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
