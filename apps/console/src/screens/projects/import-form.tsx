import type { ImportedProjectReply } from '@baton/gateway/reply-types';
import { useRef, useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { useConfirmation } from '../../components/action/confirmation.tsx';
import { countText } from '../../components/count-text.ts';
import { plainText } from '../../components/plain-text.ts';
import { routePath } from '../../components/route.ts';
import { exists } from '../../rest/exists.ts';
import { useSession } from '../../session/session-context.ts';

/** A file as it was when it was chosen. */
interface ChosenFile {
  readonly name: string;
  readonly bytes: ArrayBuffer;
}

/** Takes a tasks.json in the place of a project's, and lists what had to be repaired of it. */
export function ImportForm({ onImported }: { onImported: () => void }) {
  const { client } = useSession();
  const { ask, dialog } = useConfirmation();
  const field = useRef<HTMLInputElement>(null);
  const [project, setProject] = useState('');
  const [file, setFile] = useState<ChosenFile>();
  const [problem, setProblem] = useState<string>();
  const [strict, setStrict] = useState(false);
  const [repairs, setRepairs] = useState<ImportedProjectReply['repairs']>([]);
  const clear = () => {
    setFile(undefined);
    if (field.current !== null) field.current.value = '';
  };
  const choose = async (chosen: File | undefined) => {
    setFile(undefined);
    setProblem(undefined);
    if (chosen === undefined) return;
    try {
      setFile({ name: chosen.name, bytes: await chosen.arrayBuffer() });
    } catch {
      clear();
      setProblem('The file cannot be read. Choose it again.');
    }
  };
  const run = async () => {
    if (file === undefined) throw new Error('Choose a file.');
    setRepairs([]);
    try {
      const json = decode(file);
      const path = routePath('projects', project);
      if (await exists(client.get(path))) {
        const question = `${plainText(project)} exists. Replace its tasks by those of ${plainText(file.name)}?`;
        if (!(await ask({ question, confirm: 'Replace' }))) return 'Nothing was imported.';
      }
      const reply = await client.putText<ImportedProjectReply>(path + (strict ? '?strict=true' : ''), json);
      setRepairs(reply.repairs);
      onImported();
      const counts = Object.entries(reply.taskCounts).map(([tag, count]) => `${count} in ${tag}`);
      return `Imported: tasks ${counts.join(', ')}; ${countText(reply.repairs.length, 'repair')}.`;
    } catch (error) {
      // What is chosen next is often the same file, mended, which a browser tells only of a field that is empty.
      clear();
      throw error;
    }
  };
  return (
    <details>
      <summary>Import a tasks.json</summary>
      <ActionForm submit="Import" run={run}>
        <label>
          Project, which it replaces
          <input required value={project} onInput={(event) => setProject(event.currentTarget.value.trim())} />
        </label>
        <label>
          File
          <input
            ref={field}
            type="file"
            required
            accept=".json,application/json"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={strict}
            onChange={(event) => setStrict(event.currentTarget.checked)}
          />
          Refuse a file that needs repairs
        </label>
      </ActionForm>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {dialog}
      {repairs.length > 0 && (
        <ul class="repairs">
          {repairs.map(({ place, problem }, at) => (
            <li key={at}>
              <code>{plainText(place)}</code> {plainText(problem)}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function decode({ name, bytes }: ChosenFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not text in UTF-8. Save it in that encoding, and choose it again.`);
  }
}
