import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { type ReactNode, useState } from 'react';
import { useDoing } from './data.tsx';
import { doWork, type Work } from './doing.tsx';

/** What is in a field: one text, or several chosen ones. */
export type Value = string | readonly string[];

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export const optionOf = (value: string): Option => ({ value, label: value });

interface InputOf<T extends Value> {
  readonly value: T;
  change(value: T): void;
}

/** How a value is typed or chosen. With options: one of them, or several if the value is a list. */
interface Typed {
  readonly options?: readonly Option[];
  /** A text of so many lines. */
  readonly rows?: number;
  readonly type?: InputProps.Type;
  readonly placeholder?: string;
  /** Where no label of a field names it. */
  readonly ariaLabel?: string;
  /** Shown where there are no options. */
  readonly empty?: string;
  readonly isInvalid?: boolean;
  /** The first option counts while none is chosen. */
  readonly isFirst?: boolean;
}

const named = (ariaLabel: string | undefined) => (ariaLabel === undefined ? {} : { ariaLabel });

/** Several of some options. */
export const Choices = ({ value, change, options = [], ...more }: Typed & InputOf<readonly string[]>) => {
  const chosen = (one: string) => options.find(option => option.value === one) ?? optionOf(one);
  return (
    <Multiselect
      {...named(more.ariaLabel)}
      selectedOptions={value.map(chosen)}
      options={options}
      filteringType={options.length > 8 ? 'auto' : 'none'}
      placeholder={more.placeholder ?? ''}
      expandToViewport
      deselectAriaLabel={({ label = '' }) => `Remove ${label}`}
      onChange={({ detail }) => change(detail.selectedOptions.map(one => one.value ?? ''))}
    />
  );
};

/** One of some options. */
export const Choice = ({ value, change, options = [], ...more }: Typed & InputOf<string>) => (
  <Select
    {...named(more.ariaLabel)}
    selectedOption={
      options.find(one => one.value === value) ?? (more.isFirst ? options[0] : undefined) ?? null
    }
    options={options}
    filteringType={options.length > 8 ? 'auto' : 'none'}
    placeholder={more.placeholder ?? ''}
    empty={more.empty}
    expandToViewport
    onChange={({ detail }) => change(detail.selectedOption.value ?? '')}
  />
);

/** A text, on one line or on several. */
export const Text = ({ value, change, rows, ...more }: Typed & InputOf<string>) => {
  const shared = {
    ...named(more.ariaLabel),
    value,
    placeholder: more.placeholder ?? '',
    spellcheck: false,
    invalid: more.isInvalid ?? false,
    onChange: ({ detail }: { readonly detail: { readonly value: string } }) => change(detail.value),
  };
  return rows === undefined ? (
    <Input {...shared} type={more.type ?? 'text'} />
  ) : (
    <Textarea {...shared} rows={rows} />
  );
};

/** A field of a form, by the name of its value. */
export interface Field<V> extends Typed {
  readonly name: keyof V & string;
  readonly label: string;
  readonly description?: string;
  readonly constraint?: string;
  readonly error?: string | undefined;
}

type Values = Readonly<Record<string, Value>>;

interface FieldsProps<V extends Values> {
  readonly values: V;
  /** In their order; what is no field is shown as it is. */
  readonly fields: readonly (Field<V> | ReactNode)[];
  change(part: Partial<V>): void;
}

const isField = <V,>(one: Field<V> | ReactNode): one is Field<V> =>
  typeof one === 'object' && one !== null && 'name' in one && 'label' in one;

/** Fields that are data. */
export const Fields = <V extends Values>({ values, fields, change }: FieldsProps<V>) => (
  <SpaceBetween size="m">
    {fields.map(one => {
      if (!isField<V>(one)) return one;
      const { name, label, description, constraint, error, ...input } = one;
      const value = values[name];
      const set = (next: Value) => change({ [name]: next } as Partial<V>); // of the same kind as the value
      return (
        <FormField
          key={name}
          label={label}
          description={description}
          constraintText={constraint}
          errorText={error}
        >
          {typeof value === 'object' ? (
            <Choices {...input} value={value} change={set} />
          ) : input.options ? (
            <Choice {...input} value={value ?? ''} change={set} />
          ) : (
            <Text {...input} value={value ?? ''} change={set} />
          )}
        </FormField>
      );
    })}
  </SpaceBetween>
);

interface FormProps<V extends Values, T> {
  readonly first: V;
  fields(values: V): FieldsProps<V>['fields'];
  /** What a change of a field changes too. */
  changed?(values: V, part: Partial<V>): Partial<V>;
  readonly button: string;
  readonly variant?: 'primary' | 'normal';
  /** Whether it can be sent. Absent: when every text is there that is not optional. */
  isReady?(values: V): boolean;
  work(values: V, clear: () => void): Work<T>;
  readonly cancel?: (() => void) | undefined;
  /** Shown above the button. */
  readonly children?: ReactNode;
}

/** Whether the fields that are not optional are filled in. */
const isFilled = <V extends Values>(values: V, fields: FieldsProps<V>['fields']): boolean =>
  fields.every(
    one => !isField<V>(one) || one.label.endsWith('(optional)') || `${values[one.name]}`.trim() !== '',
  );

/** A form: what was typed stays while its call fails. */
export const Form = <V extends Values, T>(props: FormProps<V, T>) => {
  const { first, button, variant = 'normal', work, cancel, children } = props;
  const [values, setValues] = useState(first);
  const change = (part: Partial<V>) => setValues({ ...values, ...(props.changed?.(values, part) ?? part) });
  const todo = work(values, () => setValues(first));
  const doing = useDoing(todo.again);
  const fields = props.fields(values);
  const isReady = props.isReady ? props.isReady(values) : isFilled(values, fields);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (isReady) void doWork(doing, todo);
      }}
    >
      <SpaceBetween size="m">
        <Fields values={values} fields={fields} change={change} />
        {children && <Box color="text-body-secondary">{children}</Box>}
        {doing.trouble}
        <SpaceBetween direction="horizontal" size="xs">
          <Button variant={variant} formAction="submit" disabled={!isReady} loading={doing.isBusy}>
            {button}
          </Button>
          {cancel && (
            <Button variant="link" formAction="none" onClick={cancel}>
              Cancel
            </Button>
          )}
        </SpaceBetween>
      </SpaceBetween>
    </form>
  );
};
