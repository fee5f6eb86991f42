import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { addressOf, goTo } from '../page/address.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { useDoing } from '../page/doing.tsx';
import { connections, workspace } from '../page/places.ts';

/** Registers the instance for a consumer of the workspace, in one step. */
export const Registration = ({ yaml, isValid }: { readonly yaml: string; readonly isValid: boolean }) => {
  const [of, known] = [useValue(workspace), useValue(connections)];
  const [chosen, choose] = useState<string | undefined>(undefined);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const doing = useDoing();
  const options = known
    .filter(({ kind, status }) => kind === 'consumer' && status !== 'revoked')
    .map(one => ({ value: one.connection_id, label: one.app_name, description: one.connection_id }));
  if (!of || options.length === 0) return null;
  const register = (c: string) =>
    doing.run(
      () => call('skill.register', { names: { w: of.id, c }, body: { file: yaml } }),
      undefined,
      answer => {
        setProblems(answer.problems);
        if (answer.problems.length === 0) goTo(addressOf('executor', { w: of.id, c }));
      },
    );
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
      {problems.length > 0 && <Alert type="error">{problems.join(' ')}</Alert>}
      {doing.trouble}
      <Button
        variant="primary"
        disabled={!isValid || chosen === undefined}
        loading={doing.isBusy}
        onClick={() => chosen !== undefined && void register(chosen)}
      >
        Register instance
      </Button>
    </SpaceBetween>
  );
};
