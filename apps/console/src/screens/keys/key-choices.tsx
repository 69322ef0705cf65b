/** Which tools are listed to clients whose calls do not say, and how requests for an LLM are shown to them. */
export const TOOLS = [
  ['standard', 'standard'],
  ['core', 'core: the fewest'],
  ['all', 'all'],
] as const;
/** '' is none. */
export const DIALECTS = [
  ['', 'as they declare'],
  ['tool', 'tool: a directive, answered by agent_llm'],
  ['sampling', 'sampling'],
  ['input_required', 'input required'],
  ['task', 'task'],
] as const;

interface ChoiceProps {
  readonly title: string;
  /** Values with what is shown of each. */
  readonly options: readonly (readonly [string, string])[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

/** A field with some values to choose from. A value that is none of them is one more. */
export function Choice({ title, options, value, onChoose }: ChoiceProps) {
  const isKnown = options.some(([option]) => option === value);
  return (
    <label>
      {title}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
