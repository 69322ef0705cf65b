/**
 * The address of a module that has every `Resolver` of its process ask one name server, such as `127.0.0.1:5353`: for `import()`, and
 * for `--import` of processes.
 */
export function nameServerModule(address: string): string {
  const source = `
    import { Resolver } from 'node:dns/promises';
    const { resolve4 } = Resolver.prototype;
    // Its first query of each: a resolver with queries under way takes no other servers.
    Resolver.prototype.resolve4 = function (name) {
      this.setServers(['${address}']);
      return resolve4.call(this, name);
    };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
