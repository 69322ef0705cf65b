import type { ImportedProjectReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';

/** Takes a tasks.json in the place of a project's, and lists what had to be repaired of it. */
export function ImportForm({ onImported }: { onImported: () => void }) {
  const { client } = useSession();
  const [project, setProject] = useState('');
  const [file, setFile] = useState<File>();
  const [strict, setStrict] = useState(false);
  const [repairs, setRepairs] = useState<ImportedProjectReply['repairs']>([]);
  const run = async () => {
    if (file === undefined) return '';
    setRepairs([]);
    const path = `/projects/${encodeURIComponent(project)}${strict ? '?strict=true' : ''}`;
    const reply = await client.putText<ImportedProjectReply>(path, await file.text());
    setRepairs(reply.repairs);
    onImported();
    const counts = Object.entries(reply.taskCounts).map(([tag, count]) => `${count} in ${tag}`);
    return `Imported: tasks ${counts.join(', ')}; ${reply.repairs.length} repairs.`;
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
            type="file"
            required
            accept=".json,application/json"
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
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
