import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { type ExecutorNames, instanceNamed, instanceText } from '../executor/file-form.tsx';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { CodeView } from '../page/code-view.tsx';
import { useDoing } from '../page/doing.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { connections, workspace } from '../page/workspaces.ts';
import type { instanceOf } from './draft.ts';

type Registered = ResponseOf<'skill.show'>;

interface InstanceProps {
  readonly names: ExecutorNames;
  readonly instance: ReturnType<typeof instanceOf>;
  readonly yaml: string;
}

/** Registers a valid instance, or puts it in the place of the one that has its label, once the reader has seen what changes. */
const Register = ({ names, instance, yaml }: InstanceProps) => {
  const { instance_label: label = '' } = instance;
  const [before, setBefore] = useState<Registered | 'none' | undefined>(undefined);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const looking = useDoing();
  const look = () =>
    void looking.run(
      () => instanceNamed(names, label),
      undefined,
      found => setBefore(found ?? 'none'),
    );
  const doing = useDoing(look);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked for once, the parent keys by executor and label
  useEffect(look, []);
  if (before === undefined) return looking.trouble;
  const replaced = before === 'none' ? undefined : before;
  const text = instanceText(instance);
  const isSame = replaced !== undefined && instanceText(replaced) === text;
  const body = { file: yaml };
  const send = () =>
    doing.run(
      () =>
        replaced
          ? call('skill.replace', { names: { ...names, r: replaced.registration_id }, body })
          : call('skill.register', { names: { ...names }, body }),
      replaced ? `${label} is replaced.` : `${label} is registered.`,
      response => {
        setProblems(response.problems);
        if (response.problems.length === 0) goTo(urlOf('executor', names));
      },
    );
  return (
    <SpaceBetween size="m">
      <Box>
        {replaced
          ? isSame
            ? `${label} is registered exactly like this.`
            : `${label} is registered already. This would change:`
          : `No instance ${label} is registered there: this is a new one.`}
      </Box>
      {replaced && !isSame && <CodeView label="What changes" text={text} before={instanceText(replaced)} />}
      {problems.length > 0 && <Alert type="error">{problems.join(' ')}</Alert>}
      {doing.trouble}
      <Button variant="primary" disabled={isSame} loading={doing.isBusy} onClick={() => void send()}>
        {replaced ? 'Replace instance' : 'Register instance'}
      </Button>
    </SpaceBetween>
  );
};

/** Registers the instance of the form for a consumer of the workspace. */
export const Registration = ({
  isValid,
  ...props
}: Omit<InstanceProps, 'names'> & { readonly isValid: boolean }) => {
  const [of, known] = [useValue(workspace), useValue(connections)];
  const [chosen, choose] = useState<string | undefined>(undefined);
  const options = known
    .filter(({ kind, status }) => kind === 'consumer' && status !== 'revoked')
    .map(one => ({ value: one.connection_id, label: one.app_name, description: one.connection_id }));
  if (!of || options.length === 0) return null;
  return (
    <SpaceBetween size="m">
      <FormField label="Register for" description="The consumer that executes the instance.">
        <Select
          selectedOption={options.find(({ value }) => value === chosen) ?? null}
          options={options}
          placeholder="Choose a consumer"
          onChange={({ detail }) => choose(detail.selectedOption.value)}
        />
      </FormField>
      {isValid && chosen !== undefined && (
        <Register
          key={`${chosen} ${props.instance.instance_label}`}
          names={{ w: of.id, c: chosen }}
          {...props}
        />
      )}
    </SpaceBetween>
  );
};
