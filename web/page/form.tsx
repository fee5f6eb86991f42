import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { type ReactNode, useId, useState } from 'react';
import { flushSync } from 'react-dom';
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
  /** The first option counts while none is chosen. */
  readonly isFirst?: boolean;
  /** The chosen option shows what it means. */
  readonly isExplained?: boolean;
  /** Texts that are known already; any other one may be typed. */
  readonly suggestions?: readonly string[];
}

const named = (ariaLabel: string | undefined) => (ariaLabel === undefined ? {} : { ariaLabel });

/** More options can be filtered by their text. */
const maxUnfiltered = 8;

/** Several of some options. */
export const Choices = ({
  value,
  change,
  options = [],
  ...more
}: Typed & InputOf<readonly string[]>) => {
  const chosen = (one: string) => options.find(option => option.value === one) ?? optionOf(one);
  return (
    <Multiselect
      {...named(more.ariaLabel)}
      selectedOptions={value.map(chosen)}
      options={options}
      filteringType={options.length > maxUnfiltered ? 'auto' : 'none'}
      placeholder={more.placeholder ?? ''}
      expandToViewport
      deselectAriaLabel={({ label = '' }) => `Remove ${label}`}
      onChange={({ detail }) => change(detail.selectedOptions.map(one => one.value ?? ''))}
    />
  );
};

/** One of some options. */
export const Choice = ({ value, change, options = [], ...more }: Typed & InputOf<string>) => {
  const [first] = more.isFirst ? options : [];
  const chosen = options.find(one => one.value === value) ?? first ?? null;
  return (
    <Select
      {...named(more.ariaLabel)}
      selectedOption={chosen}
      options={options}
      triggerVariant={more.isExplained ? 'option' : 'label'}
      filteringType={options.length > maxUnfiltered ? 'auto' : 'none'}
      placeholder={more.placeholder ?? ''}
      empty={more.empty}
      expandToViewport
      onChange={({ detail }) => change(detail.selectedOption.value ?? '')}
    />
  );
};

/** A text, on one line or on several. */
export const Text = ({ value, change, rows, suggestions, ...more }: Typed & InputOf<string>) => {
  const list = useId();
  const shared = {
    ...named(more.ariaLabel),
    value,
    placeholder: more.placeholder ?? '',
    spellcheck: false,
    onChange: ({ detail }: { readonly detail: { readonly value: string } }) => change(detail.value),
  };
  if (rows !== undefined) return <Textarea {...shared} rows={rows} />;
  const type = more.type ?? 'text';
  if (!suggestions) return <Input {...shared} type={type} />;
  return (
    <>
      <Input {...shared} type={type} nativeInputAttributes={{ list }} />
      <datalist id={list}>
        {suggestions.map(one => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
};

/** A field of a form, by the name of its value. */
export interface Field<V> extends Typed {
  readonly name: keyof V & string;
  readonly label: string;
  readonly description?: string;
  readonly constraint?: string;
  /**
   * What is wrong with its value. That it is empty needs no words, unless its label says that it is
   * optional.
   */
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

interface FieldInputProps extends Typed {
  readonly value: Value | undefined;
  change(value: Value): void;
}

/** How the value of a field is typed or chosen. */
const FieldInput = ({ value = '', change, ...input }: FieldInputProps) => {
  if (typeof value === 'object') return <Choices {...input} value={value} change={change} />;
  if (input.options) return <Choice {...input} value={value} change={change} />;
  return <Text {...input} value={value} change={change} />;
};

/** Fields that are data. */
export const Fields = <V extends Values>({ values, fields, change }: FieldsProps<V>) => (
  <SpaceBetween size="m">
    {fields.map(one => {
      if (!isField<V>(one)) return one;
      const { name, label, description, constraint, error, ...input } = one;
      // of the same kind as the value
      const set = (next: Value) => change({ [name]: next } as Partial<V>);
      return (
        <FormField
          key={name}
          label={label}
          description={description}
          constraintText={constraint}
          errorText={error}
        >
          <FieldInput {...input} value={values[name]} change={set} />
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
  work(values: V, clear: () => void): Work<T>;
  readonly cancel?: (() => void) | undefined;
  /** Shown above the button. */
  readonly children?: ReactNode;
}

/** A field that says what is wrong with it. */
const checked = <V extends Values>(values: V, field: Field<V>): Field<V> => {
  const { name, label, error, options, isFirst } = field;
  const isOptional = label.endsWith('(optional)') || (isFirst && options?.length !== 0);
  const isFilled = `${values[name]}`.trim() !== '';
  if (error !== undefined || isOptional || isFilled) return field;
  if (typeof values[name] === 'object') return { ...field, error: 'Choose at least one.' };
  return { ...field, error: options ? 'Choose one.' : 'This field is required.' };
};

/**
 * A form: what was typed stays while its call fails. What is wrong with a field it says when it is
 * to be sent.
 */
export const Form = <V extends Values, T>(props: FormProps<V, T>) => {
  const { first, button, variant = 'normal', work, cancel, children } = props;
  const [values, setValues] = useState(first);
  const change = (part: Partial<V>) => {
    const changes = props.changed?.(values, part) ?? part;
    setValues({ ...values, ...changes });
  };
  const todo = work(values, () => setValues(first));
  const doing = useDoing(todo.again);

  const [isChecked, setChecked] = useState(false);
  const given = props.fields(values);
  const fields = given.map(one => (isField<V>(one) ? checked(values, one) : one));
  const isWrong = fields.some(one => isField<V>(one) && one.error !== undefined);
  const submit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    flushSync(() => setChecked(isWrong));
    if (isWrong) event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    else void doWork(doing, todo);
  };
  return (
    <form onSubmit={submit}>
      <SpaceBetween size="m">
        <Fields values={values} fields={isChecked ? fields : given} change={change} />
        {children && <Box color="text-body-secondary">{children}</Box>}
        {doing.trouble}
        <SpaceBetween direction="horizontal" size="xs">
          <Button variant={variant} formAction="submit" loading={doing.isBusy}>
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
