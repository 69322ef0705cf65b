/** An LLM's answer: a task list with these titles. */
export function taskListAnswer(titles: readonly string[], description = 'To be built.') {
  return { tasks: titles.map((title, index) => ({ id: index + 1, title, description })) };
}
