import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { DefaultParams } from 'wouter-preact';
import { navigate, useHashLocation } from 'wouter-preact/use-hash-location';

/** Where the page is: what stands after the `#` of its address, as a path and a query. */
export interface Route {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly navigate: (to: string) => void;
}

export function useRoute(): Route {
  const [location] = useHashLocation();
  return useMemo(() => {
    const [path = '/', query = ''] = location.split('?');
    return { path, query: new URLSearchParams(query), navigate: toHash };
  }, [location]);
}

/** wouter's own `navigate` would put a query before the `#`, where it is sent to the server. */
function toHash(to: string): void {
  globalThis.location.hash = to;
}

/** The path of a screen: its parts as they are, each encoded. */
export function routePath(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/**
 * The location for wouter's router: a path without its query. The router decodes a path with `decodeURI` before it matches, which leaves
 * `%2F` and makes `%` of `%25`; it gets each `%` encoded once more, so that parameters come out of it as they stand in the address.
 */
export function usePathLocation(): [string, typeof navigate] {
  return [useRoute().path.replaceAll('%', '%25'), navigate];
}

/** Renders a route by its one parameter, decoded. */
export function withParameter(
  render: (value: string) => JSX.Element,
): (parameters: DefaultParams) => JSX.Element {
  return ({ 0: encoded = '' }) => render(decode(encoded));
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
