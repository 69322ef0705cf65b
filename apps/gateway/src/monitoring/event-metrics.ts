import type { TaskMetrics } from '@baton/runner';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { EventFacts, LoggedEvent } from '../call/logged-events.ts';

/** What the calls of a gateway came to, counted where it is logged. */
export class EventMetrics {
  private readonly tasks: TaskMetrics;
  private readonly answers = new Counter({
    name: 'baton_answers_total',
    help: 'Answers that were taken; replayed: the same had been given before',
    labelNames: ['replayed'],
    registers: [],
  });
  private readonly refusals = new Counter({
    name: 'baton_refused_calls_total',
    help: 'Calls that failed, by the code of their error',
    labelNames: ['code'],
    registers: [],
  });
  private readonly waits = new Histogram({
    name: 'baton_answer_seconds',
    help: 'From an LLM request to its answer',
    buckets: [1, 5, 15, 60, 300, 1_800, 7_200],
    registers: [],
  });

  constructor(registry: Registry, tasks: TaskMetrics) {
    this.tasks = tasks;
    for (const metric of [this.answers, this.refusals, this.waits]) registry.registerMetric(metric as never);
  }

  readonly count = (event: LoggedEvent, { status = '', code = '', replayed, waitedMs }: EventFacts): void => {
    switch (event) {
      case 'parked':
        return this.tasks.countPark();
      case 'ended':
        return this.tasks.countEnd(status, code);
      case 'refused':
        return this.refusals.inc({ code });
      case 'answered':
        this.answers.inc({ replayed: String(replayed === true) });
        if (waitedMs !== undefined) this.waits.observe(waitedMs / 1_000);
    }
  };
}
