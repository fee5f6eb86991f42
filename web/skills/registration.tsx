import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, Suspense, useState } from 'react';
import { useValue } from '../page/cell.ts';
import { Waiting } from '../page/data.tsx';
import { Choice } from '../page/form.tsx';
import { connectionOptions } from '../page/names.tsx';
import { connections, workspace } from '../page/workspaces.ts';
import type { RegisterProps } from './register.tsx';

/** Comes once a consumer is chosen. */
const Register = lazy(async () => ({ default: (await import('./register.tsx')).Register }));

/** Registers the instance of the form for a consumer of the workspace. */
export const Registration = ({
  isValid,
  ...props
}: Omit<RegisterProps, 'names'> & { readonly isValid: boolean }) => {
  const of = useValue(workspace);
  const known = useValue(connections);
  const [chosen, choose] = useState('');
  const consumers = known.filter(({ kind, status }) => kind === 'consumer' && status !== 'revoked');
  if (!of || consumers.length === 0) return null;
  return (
    <SpaceBetween size="m">
      <FormField label="Register for" description="The consumer that runs the instance.">
        <Choice
          value={chosen}
          options={connectionOptions(consumers)}
          placeholder="Choose a consumer"
          change={choose}
        />
      </FormField>
      {isValid && chosen !== '' && (
        <Suspense fallback={<Waiting />}>
          <Register
            key={`${chosen} ${props.instance.instance_label}`}
            names={{ w: of.id, c: chosen }}
            {...props}
          />
        </Suspense>
      )}
    </SpaceBetween>
  );
};
