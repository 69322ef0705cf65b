import { describe, expect, it } from 'vitest';
import { callProjectToolInMemory, expectToolRefusal } from '../testing/call-project-tool-in-memory.ts';
import { toolOperations } from '../tool-operations/tool-operations.ts';
import { promptMarkdown, promptNames, requireToolText } from './prompt-catalog.ts';

describe('prompts for people', () => {
  it.each(promptNames)('%s has a text with the very words that its LLM is told', (name) => {
    const { result } = callProjectToolInMemory('generate_prompt', {
      operation: name,
      context: { projectRoot: 'p', prompt: 'Do `this`\n\n# now' },
    });
    expect(result['prompt']).toContain("**prompt**: `Do 'this' # now`");
    expect(promptMarkdown(name)).toContain(requireToolText(name).description);
    if (!toolOperations.has(name)) return;
    expect(promptMarkdown(name)).toContain(String(result['system']));
    expect(result['version']).toBeGreaterThanOrEqual(1);
  });

  it('tells what a result says', () => {
    const context = {
      status: 'completed',
      projectRoot: 'p',
      tag: 'master',
      tasksUpdated: 2,
      taskIds: [1, 2],
      skipped: [],
      failed: [],
    };
    expect(
      callProjectToolInMemory('generate_prompt', { operation: 'update', context: JSON.stringify(context) })
        .result['prompt'],
    ).toContain('Revised 2 tasks');
  });

  it('of an unknown operation are refused, naming those that there are', () => {
    expect(expectToolRefusal('generate_prompt', { operation: 'drop' }).message).toContain('parse_prd');
  });
});
