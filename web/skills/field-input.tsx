/** @jsxImportSource preact */
import type { SkillField } from '../../lib/skills/library.ts';
import type { FieldDraft } from './draft.ts';
import { rulebook } from './rulebook.ts';

export const pathListId = 'story-paths';

/** The paths of a story, for every input that asks for one. */
export const StoryPathList = () => (
  <datalist id={pathListId}>
    {rulebook.paths.all.map(path => (
      <option key={path} value={path} />
    ))}
  </datalist>
);

interface InputProps {
  readonly field: SkillField;
  readonly draft: FieldDraft | undefined;
  /** What names and describes the input for a screen reader. */
  readonly names: {
    readonly id: string;
    readonly 'aria-describedby': string;
    readonly 'aria-invalid': boolean;
  };
  change(draft: FieldDraft): void;
}

const textOf = (draft: FieldDraft | undefined): string => (typeof draft === 'string' ? draft : '');

const Choice = ({ draft, names, change, options }: InputProps & { readonly options: readonly string[] }) => (
  <select {...names} value={textOf(draft)} onInput={event => change(event.currentTarget.value)}>
    <option value="">not set</option>
    {options.map(option => (
      <option key={option}>{option}</option>
    ))}
  </select>
);

/** Ticks, kept as one line for each. */
const Ticks = ({ field, draft, names, change }: InputProps) => {
  const ticked = new Set(textOf(draft).split('\n'));
  const tick = (option: string, on: boolean): void => {
    const rest = (field.options ?? []).filter(one => (one === option ? on : ticked.has(one)));
    change(rest.join('\n'));
  };
  return (
    <fieldset {...names} class="ticks">
      {(field.options ?? []).map(option => (
        <label key={option}>
          <input
            type="checkbox"
            checked={ticked.has(option)}
            onInput={event => tick(option, event.currentTarget.checked)}
          />
          {option}
        </label>
      ))}
    </fieldset>
  );
};

const Lines = ({ draft, names, change }: InputProps) => (
  <textarea
    {...names}
    rows={3}
    spellcheck={false}
    placeholder="one per line"
    value={textOf(draft)}
    onInput={event => change(event.currentTarget.value)}
  />
);

const Line = ({ field, draft, names, change }: InputProps) => (
  <input
    {...names}
    type="text"
    spellcheck={false}
    autocomplete="off"
    {...(field.kind === 'path' ? { list: pathListId } : {})}
    {...(field.kind === 'number' || field.kind === 'integer' ? { inputMode: 'decimal' as const } : {})}
    value={textOf(draft)}
    onInput={event => change(event.currentTarget.value)}
  />
);

/** Rows of texts, with an empty one at the end to type into. */
const Rows = ({
  field,
  draft,
  names,
  change,
  columns,
}: InputProps & { readonly columns: readonly string[] }) => {
  const filled = typeof draft === 'object' ? draft : [];
  const rows = [...filled, columns.map(() => '')];
  const type = (row: number, column: number, text: string): void => {
    const next = rows.map((cells, at) => (at === row ? cells.with(column, text) : cells));
    change(next.filter(cells => cells.some(cell => cell !== '')));
  };
  return (
    <table {...names} class="rows">
      <thead>
        <tr>
          {columns.map(column => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {columns.map((column, at) => (
              <td key={column}>
                <input
                  type="text"
                  spellcheck={false}
                  aria-label={`${field.name}, row ${row + 1}, ${column}`}
                  value={cells[at] ?? ''}
                  onInput={event => type(row, at, event.currentTarget.value)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** The input for a field: its kind decides. */
export const FieldInput = (props: InputProps) => {
  const { kind, options = [] } = props.field;
  switch (kind) {
    case 'enum':
      return <Choice {...props} options={options} />;
    case 'boolean':
      return <Choice {...props} options={['true', 'false']} />;
    case 'enum_list':
      return <Ticks {...props} />;
    case 'path_list':
    case 'text_list':
      return <Lines {...props} />;
    case 'row':
      return <Rows {...props} columns={options} />;
    case 'map':
      return <Rows {...props} columns={['key', 'value']} />;
    default:
      return <Line {...props} />;
  }
};
