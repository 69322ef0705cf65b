import { expect, test } from 'vitest';
import { describeYamlFault } from './yaml-fault.ts';

test.each([
  ['a: { p: {{args.p}} }', "put templates in quotes: '{{args.p}}' (odd)"],
  ['a: 1\n  - {{ steps.x.y }}', "put templates in quotes: '{{ steps.x.y }}' (odd)"],
  ['a: [1,{{args.p}}]', "put templates in quotes: '{{args.p}}' (odd)"],
  ['a: "{{args.p}}"', 'odd'],
  ["a: { p: '{{args.p}}' }", 'odd'],
  ['a: Take {{args.p}} {', 'odd'],
])('a template without quotes is named, never one that has them: %s', (text, told) => {
  expect(describeYamlFault(text, 'odd')).toBe(told);
});
