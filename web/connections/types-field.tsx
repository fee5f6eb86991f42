/** @jsxImportSource preact */
import { useId } from 'preact/hooks';
import { messageTypes, typesWithoutSchema } from '../../lib/contract/message-types.ts';
import { matches, problemWithPattern, problemWithUnknownTypes } from '../../lib/registry/patterns.ts';

const known = [...messageTypes, ...typesWithoutSchema];

const familyOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`;

/** What a click adds: everything, a family, or a type of SOM 1.0. */
const offered = ['*', ...new Set(messageTypes.map(familyOf)), ...messageTypes];

/** The patterns in a text: spaces, commas and new lines separate them. */
export const patternsIn = (text: string): readonly string[] => [
  ...new Set(text.split(/[\s,]+/).filter(one => one !== '')),
];

/** What is wrong with the patterns in a text, as a sentence. */
export const problemWithTypes = (text: string): string | undefined => {
  const patterns = patternsIn(text);
  const [malformed] = patterns.flatMap(pattern => problemWithPattern(pattern) ?? []);
  return malformed ?? problemWithUnknownTypes(patterns);
};

const Matched = ({ text }: { readonly text: string }) => {
  const patterns = patternsIn(text);
  const found = known.filter(type => patterns.some(pattern => matches(pattern, type)));
  if (patterns.length === 0) return <>Nothing yet: choose at least one.</>;
  return found.length === known.length ? <>Matches every message type.</> : <>Matches {found.join(', ')}.</>;
};

/** Message types to choose: by clicking, or by typing patterns. */
export const TypesField = ({
  label,
  about,
  text,
  allowed,
  change,
}: {
  readonly label: string;
  readonly about: string;
  readonly text: string;
  /** Patterns that an invitation allows. Absent: all. */
  readonly allowed?: readonly string[];
  change(text: string): void;
}) => {
  const id = useId();
  const problem = problemWithTypes(text);
  const choices = allowed && !allowed.includes('*') ? allowed : offered;
  const add = (pattern: string): void => change([...new Set([...patternsIn(text), pattern])].join(' '));
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <p id={`${id}-about`} class="about">
        {about}
      </p>
      <input
        id={id}
        type="text"
        value={text}
        aria-describedby={`${id}-about ${id}-matched`}
        aria-invalid={problem !== undefined}
        spellcheck={false}
        onInput={event => change(event.currentTarget.value)}
      />
      <p id={`${id}-matched`} class={problem === undefined ? 'about' : 'problems'} role="status">
        {problem ?? <Matched text={text} />}
      </p>
      <details>
        <summary>Choose from the list</summary>
        <ul class="list">
          {choices.map(pattern => (
            <li key={pattern}>
              <button type="button" onClick={() => add(pattern)}>
                {pattern === '*' ? '* (everything)' : pattern}
              </button>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
};
