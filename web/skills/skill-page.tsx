import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Suspense, useMemo, useState } from 'react';
import { fieldKinds, type Skill, type SkillField } from '../../lib/skills/library.ts';
import { Choice, Choices, optionOf, Text } from '../page/form.tsx';
import { Facts, Page, Section } from '../page/layout.tsx';
import { lazyPart } from '../page/lazy-part.ts';
import { urlOf } from '../page/location.ts';
import { Snippet } from '../page/snippet.tsx';
import { skillWords } from './about.ts';
import { check, type Draft, type FieldDraft, writtenInstanceOf, yamlOf } from './draft.ts';
import { Registration } from './registration.tsx';
import { rulebook, skillNamed } from './rulebook.ts';

const Autosuggest = lazyPart(
  async () => (await import('@cloudscape-design/components/autosuggest')).default,
);

const noProblems: readonly string[] = [];

const storyPaths = rulebook.paths.all.map(value => ({ value }));

interface InputProps {
  readonly field: SkillField;
  readonly draft: FieldDraft | undefined;
  change(draft: FieldDraft): void;
}

/** Rows of texts, with an empty one at the end to type into. */
const Rows = ({
  field,
  draft,
  change,
  columns,
}: InputProps & { readonly columns: readonly string[] }) => {
  const filled = typeof draft === 'object' ? draft : [];
  const rows = [...filled, columns.map(() => '')];
  const type = (row: number, column: number, text: string): void => {
    const next = rows.map((cells, at) => (at === row ? cells.with(column, text) : cells));
    change(next.filter(cells => cells.some(cell => cell !== '')));
  };
  return rows.map((cells, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name
    <div className="row" key={row}>
      {columns.map((column, at) => (
        <Text
          key={column}
          value={cells[at] ?? ''}
          placeholder={column}
          ariaLabel={`${field.name}, row ${row + 1}, ${column}`}
          change={text => type(row, at, text)}
        />
      ))}
    </div>
  ));
};

/** The input for a field: its kind decides. */
const FieldInput = (props: InputProps) => {
  const { change, draft } = props;
  const { kind, options = [] } = props.field;
  const value = typeof draft === 'string' ? draft : '';
  switch (kind) {
    case 'enum':
    case 'boolean': {
      const known = kind === 'enum' ? options : ['true', 'false'];
      const notSet = { value: '', label: 'not set' };
      return <Choice value={value} change={change} options={[notSet, ...known.map(optionOf)]} />;
    }
    case 'enum_list': {
      const chosen = value.split('\n').filter(one => one !== '');
      return (
        <Choices
          value={chosen}
          options={options.map(optionOf)}
          change={all => change(all.join('\n'))}
        />
      );
    }
    case 'path_list':
    case 'text_list':
      return <Text rows={3} placeholder="one per line" value={value} change={change} />;
    case 'row':
      return <Rows {...props} columns={options} />;
    case 'map':
      return <Rows {...props} columns={['key', 'value']} />;
    case 'path':
      return (
        <Suspense fallback={<Text value={value} change={change} />}>
          <Autosuggest
            value={value}
            options={storyPaths}
            enteredTextLabel={text => `Use “${text}”`}
            onChange={({ detail }) => change(detail.value)}
          />
        </Suspense>
      );
    default:
      return <Text value={value} change={change} />;
  }
};

interface FieldProps extends InputProps {
  /** Shown once the reader has typed something. */
  readonly problems: readonly string[];
}

const Field = ({ problems, ...props }: FieldProps) => {
  const { name, kind, required, about } = props.field;
  return (
    <FormField
      label={
        <>
          <code>{name}</code>{' '}
          <Box color="text-body-secondary" display="inline" fontSize="body-s">
            {kind.replace('_', ' ')}
            {required ? '' : ', optional'}
          </Box>
        </>
      }
      description={`${about} ${fieldKinds[kind]}`}
      errorText={problems.join(' ')}
    >
      <FieldInput {...props} />
    </FormField>
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
  const [draft, setDraft] = useState<Draft>({});
  const findings = useMemo(() => check(skill, draft), [skill, draft]);
  const left = [...findings.byField.values()].flat().length;
  const yaml = yamlOf(skill, draft);
  return (
    <Page
      title={skill.name}
      lead={skillWords[skill.name]}
      actions={<Button href={urlOf('skills')}>All skills</Button>}
    >
      <Container>
        <Facts
          columns={3}
          of={[
            ['Category', skill.category],
            ['Severity', skill.severity_range.join(', ')],
            ['Asked about', skill.recall_on.join(', ')],
          ]}
        />
      </Container>
      <Section title="Configure an instance">
        <SpaceBetween size="m">
          {[...membersOf(skill), ...skill.fields].map(field => (
            <Field
              key={field.name}
              field={field}
              draft={draft[field.name]}
              problems={(field.name in draft && findings.byField.get(field.name)) || noProblems}
              change={text => setDraft({ ...draft, [field.name]: text })}
            />
          ))}
        </SpaceBetween>
      </Section>
      <Section title="Skills file">
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
          <Registration
            instance={writtenInstanceOf(skill, draft)}
            yaml={yaml}
            isValid={findings.valid}
          />
        </SpaceBetween>
      </Section>
    </Page>
  );
};

/** One skill: its fields explained, and a form that makes an instance. */
export const SkillPage = ({ names: { name } }: { readonly names: { readonly name: string } }) => {
  const skill = skillNamed(name);
  if (skill) return <SkillForm skill={skill} />;
  return (
    <Page title="Skill not found">
      <Box>
        The library has no skill {name}. <a href={urlOf('skills')}>See all skills</a>.
      </Box>
    </Page>
  );
};
