import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';

/** A workflow calls tools, so its caller needs what tools need. */
export const PROMPT_ACCESS = edgeAdmittedAccess(MCP_SCOPE);
