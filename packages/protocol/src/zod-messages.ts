import { z } from 'zod';

/** Types that say what to write; zod has others, such as `nonoptional`. */
const TOLD = new Set(['string', 'number', 'int', 'boolean', 'array', 'object']);

/** What is left out is told as such, in the place of zod's `Invalid input: expected string, received undefined`. Of all schemas of a process. */
z.config({
  customError: (issue) => {
    if (issue.input !== undefined) return undefined;
    if (issue.code === 'invalid_type')
      return TOLD.has(issue.expected) ? `is required: ${issue.expected}` : 'is required';
    if (issue.code === 'invalid_union') return 'is required';
    if (issue.code !== 'invalid_value') return undefined;
    return `is required: ${issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ')}`;
  },
});
