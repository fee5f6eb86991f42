/** @jsxImportSource preact */
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

/** What is on the lines of a text. */
export const linesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

/** Several lines of text, with a sentence about them. */
export const LinesField = ({
  label,
  about,
  text,
  change,
}: {
  readonly label: string;
  readonly about: string;
  readonly text: string;
  change(text: string): void;
}) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <p id={`${id}-about`} class="about">
        {about}
      </p>
      <textarea
        id={id}
        rows={2}
        aria-describedby={`${id}-about`}
        spellcheck={false}
        value={text}
        onInput={event => change(event.currentTarget.value)}
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
