import { useRoute } from '../route.ts';

/** One field of a list's filter; `options` makes it a choice. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly string[];
  /** What the list is filtered by where the address says nothing. */
  readonly preset?: string;
}

/** The values of a filter's fields, as the address has them; undefined for what is not filtered by. */
export function filterOf(
  fields: readonly FilterField[],
  query: URLSearchParams,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    fields.map(({ name, preset }) => [name, (query.get(name) ?? preset) || undefined]),
  );
}

/** The filter of a list. It stands in the page's address, so that a list can be linked to. */
export function FilterForm({ fields }: { fields: readonly FilterField[] }) {
  const { path, query, navigate } = useRoute();
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    next.set(name, value);
    navigate(`${path}?${next}`);
  };
  return (
    <form class="filter" onSubmit={(event) => event.preventDefault()} role="search">
      {fields.map(({ name, label, options, preset = '' }) => (
        <label key={name}>
          {label}
          {options === undefined ? (
            <input
              type="search"
              value={query.get(name) ?? preset}
              onChange={(event) => change(name, event.currentTarget.value.trim())}
            />
          ) : (
            <select
              value={query.get(name) ?? preset}
              onChange={(event) => change(name, event.currentTarget.value)}
            >
              <option value="">all</option>
              {options.map((option) => (
                <option key={option} value={option}>
                  {option.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          )}
        </label>
      ))}
    </form>
  );
}
