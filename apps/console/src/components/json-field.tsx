import { useId, useState } from 'preact/hooks';
import { parseTypedJson } from './parse-typed-json.ts';

/** A field for JSON, which says while it is typed what keeps it from being JSON. `onValue` has undefined so long. */
export function JsonField({
  label,
  initial,
  onValue,
  rows,
}: {
  label: string;
  initial: unknown;
  onValue: (value: unknown) => void;
  rows: number;
}) {
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(initial, null, 2));
  const [problem, setProblem] = useState<string>();
  const onInput = (typed: string) => {
    setText(typed);
    const read = parseTypedJson(typed);
    setProblem(read.problem);
    onValue(read.value);
  };
  return (
    <>
      <label>
        {label}
        <textarea
          rows={rows}
          spellcheck={false}
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={id}
        />
      </label>
      <p id={id} class="problems" aria-live="polite">
        {problem}
      </p>
    </>
  );
}
