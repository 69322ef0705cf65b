import { DescriptionList } from '../../components/description-list.tsx';
import { HiddenUntilAsked } from '../../components/hidden-until-asked.tsx';
import { plainText } from '../../components/plain-text.ts';
import type { ProjectItem, ProjectTask } from './project-file.ts';

/** The title of a task, which opens to its texts and its subtasks. */
export function TaskTitle({ task }: { task: ProjectTask }) {
  const { id, title, subtasks = [] } = task;
  return (
    <HiddenUntilAsked title={plainText(title)}>
      {() => (
        <>
          <Texts of={task} />
          {subtasks.map((subtask) => (
            <section key={subtask.id}>
              <p>
                <strong>{`${id}.${subtask.id} ${plainText(subtask.title)}`}</strong>
                {`: ${subtask.status ?? 'pending'}`}
              </p>
              <Texts of={subtask} />
            </section>
          ))}
        </>
      )}
    </HiddenUntilAsked>
  );
}

function Texts({ of: { description = '', details = '', testStrategy = '' } }: { of: ProjectItem }) {
  return (
    <DescriptionList
      of={[
        ['Description', shown(description)],
        ['Details', shown(details)],
        ['Test strategy', shown(testStrategy)],
      ]}
    />
  );
}

const shown = (text: string) => text !== '' && <span class="own-lines">{plainText(text)}</span>;
