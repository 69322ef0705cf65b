/** Answers that were typed and are not sent, by interaction: they live as long as the page, whatever screen it shows and whoever signs in. */
const drafts = new Map<string, string>();

export function draftOf(interactionId: string): string {
  return drafts.get(interactionId) ?? '';
}

/** Keeps a draft; an empty one is none. While there is any, the browser asks before the page is left. */
export function keepDraft(interactionId: string, text: string): void {
  if (text === '') drafts.delete(interactionId);
  else drafts.set(interactionId, text);
  if (drafts.size > 0) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
