import type { Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  /** What was typed or chosen. */
  readonly value: Signal<string>;
}

/** One line of text. */
export const TextField = ({
  label,
  value,
  ...input
}: FieldProps & Pick<JSX.IntrinsicElements['input'], 'placeholder' | 'required'>) => {
  const id = useId();
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={value.value}
        onInput={event => {
          value.value = event.currentTarget.value;
        }}
      />
    </div>
  );
};

/** One of a few; `children` are its options. */
export const ChoiceField = ({
  label,
  value,
  children,
}: FieldProps & { readonly children: ComponentChildren }) => {
  const id = useId();
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value.value}
        onInput={event => {
          value.value = event.currentTarget.value;
        }}
      >
        {children}
      </select>
    </div>
  );
};
