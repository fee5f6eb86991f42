import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import { useMemo, useState } from 'react';
import { checkInstances, type InstancesReport } from '../../lib/skills/check-instances.ts';
import { readSkillsFile } from '../../lib/skills/skills-file.ts';
import { Page } from '../page/layout.tsx';
import { rulebook } from './rulebook.ts';

const report = (text: string): InstancesReport | string | undefined => {
  if (text.trim() === '') return undefined;
  const file = readSkillsFile(text);
  return file.kind === 'unreadable' ? file.message : checkInstances(file, rulebook);
};

const Instance = ({ instance }: { readonly instance: InstancesReport['instances'][number] }) => (
  <Container>
    <SpaceBetween size="xs">
      <StatusIndicator type={instance.valid ? 'success' : 'error'}>
        {instance.instance_label || `Instance ${instance.index + 1}`}
      </StatusIndicator>
      <code>{instance.skill_id}</code>
      {!instance.valid && (
        <ul className="findings">
          {instance.problems.map(problem => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </SpaceBetween>
  </Container>
);

const wordsOf = ({ valid, instances, problems, library_version }: InstancesReport): string => {
  if (valid) {
    const all =
      instances.length === 1 ? 'The instance is' : `All ${instances.length} instances are`;
    return `${all} valid for library ${library_version}.`;
  }
  const wrong = instances.filter(one => !one.valid).length;
  const counted = wrong > 0 ? `${wrong} of ${instances.length} instances are not valid.` : '';
  return [...problems, counted].join(' ');
};

const Report = ({ found }: { readonly found: InstancesReport | string | undefined }) => {
  if (found === undefined)
    return (
      <Box color="text-body-secondary">
        Paste a skills file, or drop one here. Nothing leaves this page.
      </Box>
    );
  if (typeof found === 'string') return <Alert type="error">{found}</Alert>;
  return (
    <SpaceBetween size="m">
      <Alert type={found.valid ? 'success' : 'error'}>{wordsOf(found)}</Alert>
      {found.instances.map(instance => (
        <Instance key={instance.index} instance={instance} />
      ))}
    </SpaceBetween>
  );
};

/** Checks a whole skills file while it is edited. */
export const CheckPage = () => {
  const [text, setText] = useState('');
  const found = useMemo(() => report(text), [text]);
  const drop = async (event: React.DragEvent) => {
    const file = event.dataTransfer.files[0];
    if (file === undefined) return;
    event.preventDefault();
    setText(await file.text());
  };
  return (
    <Page
      title="Check a skills file"
      lead="What the bus looks at when somebody registers the instances of a file."
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a file can be pasted, too */}
      <div
        className="mono"
        onDragOver={event => event.preventDefault()}
        onDrop={event => void drop(event)}
      >
        <FormField label="Skills file (YAML)" stretch>
          <Textarea
            rows={16}
            spellcheck={false}
            value={text}
            onChange={({ detail }) => setText(detail.value)}
          />
        </FormField>
      </div>
      <div aria-live="polite">
        <Report found={found} />
      </div>
    </Page>
  );
};
