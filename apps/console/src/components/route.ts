import { useMemo } from 'preact/hooks';
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

/** The location for wouter's router: a path without its query. */
export function usePathLocation(): [string, typeof navigate] {
  return [useRoute().path, navigate];
}
