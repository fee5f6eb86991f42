import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMemo, useState } from 'react';
import { fieldKinds, type Skill, type SkillField } from '../../lib/skills/library.ts';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { Snippet } from '../page/snippet.tsx';
import { check, type Draft, emptyDraft, type FieldDraft, instanceOf, yamlOf } from './draft.ts';
import { FieldInput } from './field-input.tsx';
import { Registration } from './registration.tsx';
import { skillNamed } from './rulebook.ts';

const noProblems: readonly string[] = [];

interface FieldProps {
  readonly field: SkillField;
  readonly draft: FieldDraft | undefined;
  /** Shown once the reader has typed something. */
  readonly problems: readonly string[];
  change(draft: FieldDraft): void;
}

const Field = ({ field, draft, problems, change }: FieldProps) => (
  <FormField
    label={
      <>
        <code>{field.name}</code>{' '}
        <Box color="text-body-secondary" display="inline" fontSize="body-s">
          {field.kind}
          {field.required ? '' : ', optional'}
        </Box>
      </>
    }
    description={`${field.about} ${fieldKinds[field.kind]}`}
    errorText={problems.join(' ')}
  >
    <FieldInput field={field} draft={draft} change={change} />
  </FormField>
);

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

const useDraft = (skill: Skill) => {
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const findings = useMemo(() => check(skill, draft), [skill, draft]);
  const { label, scale, fields } = draft;
  const texts: Readonly<Record<string, FieldDraft>> = {
    instance_label: label,
    authority_scale: scale,
    ...fields,
  };
  const change = (name: string, text: FieldDraft): void => {
    setTouched(new Set([...touched, name]));
    if (name === 'instance_label') setDraft({ ...draft, label: `${text}` });
    else if (name === 'authority_scale') setDraft({ ...draft, scale: `${text}` });
    else setDraft({ ...draft, fields: { ...fields, [name]: text } });
  };
  const problemsOf = (name: string) =>
    touched.has(name) ? (findings.byField.get(name) ?? noProblems) : noProblems;
  return { draft, findings, texts, change, problemsOf };
};

const SkillForm = ({ skill }: { readonly skill: Skill }) => {
  const { draft, findings, texts, change, problemsOf } = useDraft(skill);
  const left = [...findings.byField.values()].flat().length;
  const yaml = yamlOf(skill, draft);
  return (
    <Page
      title={skill.name}
      lead={`${skill.category}; ${skill.severity_range.join(', ')}; asked about ${skill.recall_on.join(', ')}.`}
    >
      <Container header={<Header variant="h2">Configure an instance</Header>}>
        <SpaceBetween size="m">
          {[...membersOf(skill), ...skill.fields].map(field => (
            <Field
              key={field.name}
              field={field}
              draft={texts[field.name]}
              problems={problemsOf(field.name)}
              change={text => change(field.name, text)}
            />
          ))}
        </SpaceBetween>
      </Container>
      <Container header={<Header variant="h2">Skills file</Header>}>
        <SpaceBetween size="m">
          <div role="status">
            <Alert type={findings.valid ? 'success' : 'info'}>
              {findings.valid
                ? 'Valid: a house can register this instance.'
                : `${left} ${left === 1 ? 'thing is' : 'things are'} missing or wrong.`}
              {(findings.byField.get('') ?? noProblems).map(problem => (
                <div key={problem}>{problem}</div>
              ))}
            </Alert>
          </div>
          <Snippet label="As a skills file" text={yaml} />
          <Registration instance={instanceOf(skill, draft)} yaml={yaml} isValid={findings.valid} />
        </SpaceBetween>
      </Container>
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
      <Box>
        The library has no skill {name}. <a href={urlOf('skills')}>See all skills</a>.
      </Box>
    </Page>
  );
};
