import { isDeepStrictEqual } from 'node:util';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { tasksFileSchema } from '../../task-master/files.ts';
import type { JourneyDeployment } from '../deployment/journey-deployment.ts';
import type { ProjectChecker } from './project-checker.ts';

const COPY = 'the copy';

/** Evidence against: the exported file fits claude-task-master's format, and imports as the same project. */
export async function checkExportRoundTrip(
  deployment: JourneyDeployment,
  checker: ProjectChecker,
  project: string,
): Promise<string[]> {
  const file = await checker.exportProject(project);
  const fit = new AjvJsonSchemaValidator().getValidator(tasksFileSchema())(file);
  const put = await deployment.rest('PUT', `/projects/${encodeURIComponent(COPY)}`, file, deployment.key);
  const copy = await checker.exportProject(COPY);
  return [
    ...(fit.valid ? [] : [`the published schema does not allow it: ${fit.errorMessage}`]),
    ...(put.repairs.length === 0 ? [] : [`it was repaired: ${JSON.stringify(put.repairs)}`]),
    ...(isDeepStrictEqual(copy, file) ? [] : [`it imports as ${JSON.stringify(copy)}`]),
  ];
}
