import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { useDoing } from '../page/doing.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { connections, workspace } from '../page/workspaces.ts';

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
      response => {
        setProblems(response.problems);
        if (response.problems.length === 0) goTo(urlOf('executor', { w: of.id, c }));
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
