import type { AgentEvent, DelegatedRequest, Totals } from '@baton/agent';
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
      case 'answered': {
        const { inputTokens, outputTokens } = event.usage ?? {};
        const cost = inputTokens === undefined ? '' : `, ${inputTokens}+${outputTokens} tokens`;
        const misfit = event.problem === undefined ? '' : `, though it does not fit: ${event.problem}`;
        this.finish(event, 'answered', `${seconds(event.tookMs)}${cost}${misfit}`);
        break;
      }
      case 'failed':
        this.finish(event, 'failed', `${seconds(event.tookMs)}, ${event.type}: ${event.message}`);
        break;
      case 'superseded':
        this.finish(event, 'let go', event.code);
        break;
      case 'abandoned':
        this.finish(event, 'let go', `${event.reason}; another agent may take it`);
        break;
      case 'holding':
        this.notice = `the LLM endpoint asked to be left alone for ${seconds(event.ms)}`;
        break;
      case 'unreachable':
        this.notice = `Baton cannot be asked, again in ${seconds(event.inMs)}: ${event.message}`;
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
    const { answered, failed, superseded, abandoned } = totals;
    this.say('');
    this.say(
      `  ${answered} answered, ${failed} failed, ${superseded + abandoned} let go in ${seconds(Date.now() - this.begun)}.`,
    );
  }

  private finish(
    { request, kind }: AgentEvent & { request: DelegatedRequest },
    how: string,
    more: string,
  ): void {
    this.working.delete(request.interactionId);
    this.ended.push(Date.now());
    this.counts[kind === 'answered' || kind === 'failed' ? kind : 'other']++;
    this.say(`  ${how.padEnd(9)} ${labelOf(request)}  ${more}`);
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
    const width = Math.max(20, (this.terminal.columns || 80) - 1);
    return plainLine(line).slice(0, width);
  }
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
