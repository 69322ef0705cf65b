import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** What others wrote, which is in the page only once it was asked for. */
export function HiddenUntilAsked({ title, children }: { title: string; children: () => ComponentChildren }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <details onToggle={(event) => setIsShown(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isShown && children()}
    </details>
  );
}
