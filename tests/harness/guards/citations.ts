/** The ids in brackets at the end of a test's name, which are requirements that it cites: `refuses ... [id, another-id]`. */
const CITATION = /\[([a-z-]+(?:, [a-z-]+)*)\]$/;

/** The violation of a test that cites requirements, and during which no request went over a socket. */
export function findUnsentCitations(testName: string, requests: number): string[] {
  const cited = CITATION.exec(testName)?.[1];
  if (cited === undefined || requests > 0) return [];
  return [`It cites ${cited}, which only a test over the wire may, and sent no request.`];
}
