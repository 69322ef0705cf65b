import type { ComponentChildren } from 'preact';

/** Names with their values; those without a value are left out. */
export function DescriptionList({
  of,
}: {
  of: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl class="description-list">
      {of
        .filter(([, value]) => value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
