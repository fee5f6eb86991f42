import Autosuggest from '@cloudscape-design/components/autosuggest';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import type { SkillField } from '../../lib/skills/library.ts';
import type { FieldDraft } from './draft.ts';
import { rulebook } from './rulebook.ts';

const storyPaths = rulebook.paths.all.map(value => ({ value }));

interface InputProps {
  readonly field: SkillField;
  readonly draft: FieldDraft | undefined;
  change(draft: FieldDraft): void;
}

const textOf = (draft: FieldDraft | undefined): string => (typeof draft === 'string' ? draft : '');

const optionOf = (value: string) => ({ value, label: value === '' ? 'not set' : value });

const Choice = ({ draft, change, options }: InputProps & { readonly options: readonly string[] }) => (
  <Select
    selectedOption={optionOf(textOf(draft))}
    options={['', ...options].map(optionOf)}
    onChange={({ detail }) => change(detail.selectedOption.value ?? '')}
  />
);

/** Several of the options, kept as one line for each. */
const Choices = ({ field: { options = [] }, draft, change }: InputProps) => (
  <Multiselect
    selectedOptions={textOf(draft)
      .split('\n')
      .filter(one => one !== '')
      .map(optionOf)}
    options={options.map(optionOf)}
    deselectAriaLabel={({ label = '' }) => `Remove ${label}`}
    onChange={({ detail }) => {
      const chosen = new Set(detail.selectedOptions.map(({ value }) => value));
      change(options.filter(one => chosen.has(one)).join('\n'));
    }}
  />
);

/** Rows of texts, with an empty one at the end to type into. */
const Rows = ({ field, draft, change, columns }: InputProps & { readonly columns: readonly string[] }) => {
  const filled = typeof draft === 'object' ? draft : [];
  const rows = [...filled, columns.map(() => '')];
  const type = (row: number, column: number, text: string): void => {
    const next = rows.map((cells, at) => (at === row ? cells.with(column, text) : cells));
    change(next.filter(cells => cells.some(cell => cell !== '')));
  };
  return (
    <SpaceBetween size="xxs">
      {rows.map((cells, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name
        <div className="row" key={row}>
          {columns.map((column, at) => (
            <Input
              key={column}
              value={cells[at] ?? ''}
              placeholder={column}
              spellcheck={false}
              ariaLabel={`${field.name}, row ${row + 1}, ${column}`}
              onChange={({ detail }) => type(row, at, detail.value)}
            />
          ))}
        </div>
      ))}
    </SpaceBetween>
  );
};

const Line = ({ field: { kind }, draft, change }: InputProps) =>
  kind === 'path' ? (
    <Autosuggest
      value={textOf(draft)}
      options={storyPaths}
      enteredTextLabel={text => `Use “${text}”`}
      onChange={({ detail }) => change(detail.value)}
    />
  ) : (
    <Input
      value={textOf(draft)}
      spellcheck={false}
      autoComplete={false}
      inputMode={kind === 'number' || kind === 'integer' ? 'decimal' : 'text'}
      onChange={({ detail }) => change(detail.value)}
    />
  );

/** The input for a field: its kind decides. */
export const FieldInput = (props: InputProps) => {
  const { kind, options = [] } = props.field;
  switch (kind) {
    case 'enum':
      return <Choice {...props} options={options} />;
    case 'boolean':
      return <Choice {...props} options={['true', 'false']} />;
    case 'enum_list':
      return <Choices {...props} />;
    case 'path_list':
    case 'text_list':
      return (
        <Textarea
          rows={3}
          spellcheck={false}
          placeholder="one per line"
          value={textOf(props.draft)}
          onChange={({ detail }) => props.change(detail.value)}
        />
      );
    case 'row':
      return <Rows {...props} columns={options} />;
    case 'map':
      return <Rows {...props} columns={['key', 'value']} />;
    default:
      return <Line {...props} />;
  }
};
