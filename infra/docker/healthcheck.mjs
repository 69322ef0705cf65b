// The image's health check. A gateway answers at PORT, a worker at BATON_HEALTH_PORT: whichever runs here has to say
// that it takes work.
const ports = new Set([process.env.PORT, process.env.BATON_HEALTH_PORT].filter(Boolean));
const said = await Promise.allSettled(
  [...ports].map((port) => fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(3_000) })),
);
const ready = said.some(({ value }) => value?.ok);
if (!ready)
  console.error(said.map(({ value, reason }) => value?.status ?? String(reason?.cause ?? reason)).join(', '));
// What is still open must not keep a check waiting.
process.exit(ready ? 0 : 1);
