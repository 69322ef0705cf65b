import type { FastifyInstance } from 'fastify';

/** Records the methods of every route, so that a path without the method of a request is told apart from one that is not there. */
export function recordRouteMethods(app: FastifyInstance): void {
  const served: { readonly path: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.refusesMethods !== true) served.push({ path: pathPattern(url), methods: [method].flat() });
  });
  app.decorate('methodsAt', (url: string) => {
    const found = served.filter(({ path }) => path.test(pathOf(url)));
    return [...new Set(found.flatMap(({ methods }) => methods))].toSorted();
  });
}

/** A URL as requests show it, without its query. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** A parameter is a whole segment of a path. */
function pathPattern(url: string): RegExp {
  const literal = url.replaceAll(/[.*]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll(/:\w+/g, '[^/]+')}$`);
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods that the routes of an address take, by name; none where there is no route. */
    methodsAt(url: string): readonly string[];
  }
  interface FastifyContextConfig {
    /** True for a route that only says which other methods its path takes. */
    refusesMethods?: boolean;
  }
}
