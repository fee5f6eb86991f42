/** @jsxImportSource preact */
import { useComputed, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { fieldKinds, type Skill, type SkillField } from '../../lib/skills/library.ts';
import { addressOf } from '../page/address.ts';
import { Copyable, Page } from '../page/elements.tsx';
import { check, type Draft, emptyDraft, type FieldDraft, yamlOf } from './draft.ts';
import { FieldInput, StoryPathList } from './field-input.tsx';
import { skillNamed } from './rulebook.ts';

const noProblems: readonly string[] = [];

const Problems = ({ id, problems }: { readonly id: string; readonly problems: readonly string[] }) => (
  <ul id={id} class="problems">
    {problems.map(problem => (
      <li key={problem}>{problem}</li>
    ))}
  </ul>
);

interface FieldProps {
  readonly field: SkillField;
  readonly draft: FieldDraft | undefined;
  /** Shown once the reader has typed something. */
  readonly problems: readonly string[];
  change(draft: FieldDraft): void;
}

const Field = ({ field, draft, problems, change }: FieldProps) => {
  const id = useId();
  const names = {
    id,
    'aria-describedby': `${id}-about ${id}-problems`,
    'aria-invalid': problems.length > 0,
  };
  return (
    <div class="field">
      <label for={id}>
        <code>{field.name}</code>
        <span class="kind">
          {field.kind}
          {field.required ? '' : ', optional'}
        </span>
      </label>
      <p id={`${id}-about`} class="about">
        {field.about} <span class="quiet">{fieldKinds[field.kind]}</span>
      </p>
      <FieldInput field={field} draft={draft} names={names} change={change} />
      <Problems id={`${id}-problems`} problems={problems} />
    </div>
  );
};

/** The members that every instance has beside its fields. */
const membersOf = ({ authority_scale }: Skill): readonly SkillField[] => [
  {
    name: 'instance_label',
    kind: 'text',
    required: true,
    about: 'Names the instance. Its warnings carry the label as rule_id.',
  },
  {
    name: 'authority_scale',
    kind: 'text_list',
    required: authority_scale === 'required',
    about: "The house's authorities, the most senior first.",
  },
];

const SkillForm = ({ skill }: { readonly skill: Skill }) => {
  const draft = useSignal<Draft>(emptyDraft);
  const touched = useSignal<ReadonlySet<string>>(new Set());
  const findings = useComputed(() => check(skill, draft.value));
  const { label, scale, fields } = draft.value;
  const texts: Readonly<Record<string, FieldDraft>> = {
    instance_label: label,
    authority_scale: scale,
    ...fields,
  };
  const change = (name: string, text: FieldDraft): void => {
    touched.value = new Set([...touched.value, name]);
    if (name === 'instance_label') draft.value = { ...draft.value, label: `${text}` };
    else if (name === 'authority_scale') draft.value = { ...draft.value, scale: `${text}` };
    else draft.value = { ...draft.value, fields: { ...fields, [name]: text } };
  };
  const left = [...findings.value.byField.values()].flat().length;
  return (
    <Page
      title={skill.name}
      lead={`${skill.category}; ${skill.severity_range.join(', ')}; asked about ${skill.recall_on.join(', ')}.`}
    >
      <StoryPathList />
      <form class="instance" onSubmit={event => event.preventDefault()}>
        <h2>Configure an instance</h2>
        {[...membersOf(skill), ...skill.fields].map(field => (
          <Field
            key={field.name}
            field={field}
            draft={texts[field.name]}
            problems={
              touched.value.has(field.name)
                ? (findings.value.byField.get(field.name) ?? noProblems)
                : noProblems
            }
            change={text => change(field.name, text)}
          />
        ))}
      </form>
      <p class={`verdict ${findings.value.valid ? 'right' : 'open'}`} role="status">
        {findings.value.valid
          ? 'Valid: a house can register this instance.'
          : `${left} ${left === 1 ? 'thing is' : 'things are'} missing or wrong.`}
      </p>
      <Problems id="general" problems={findings.value.byField.get('') ?? noProblems} />
      <Copyable label="As a skills file" text={yamlOf(skill, draft.value)} />
      <p class="quiet">
        The file is registered for the consumer that executes it: on the page of that connection, under “Its
        skills”.
      </p>
    </Page>
  );
};

/** One skill: its fields explained, and a form that makes an instance. */
export const SkillPage = ({ names: { name } }: { readonly names: { readonly name: string } }) => {
  const skill = skillNamed(name);
  return skill ? (
    <SkillForm skill={skill} />
  ) : (
    <Page title="There is no such skill">
      <p>
        The library has no skill {name}. <a href={addressOf('skills')}>See all skills</a>.
      </p>
    </Page>
  );
};
