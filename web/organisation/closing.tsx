import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { call } from '../page/call.ts';
import { useDoing } from '../page/doing.tsx';
import { loadOrganisations } from '../page/workspaces.ts';

/** Closes an organisation, after its name was typed. */
export const Closing = ({ o, name, again }: { readonly o: string; readonly name: string; again(): void }) => {
  const [typed, setTyped] = useState('');
  const doing = useDoing();
  const close = () =>
    doing.run(
      () => call('connection.closeOrganisation', { names: { o }, body: { confirm: typed } }),
      `${name} is closed.`,
      () => {
        again();
        void loadOrganisations();
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void close();
      }}
    >
      <SpaceBetween size="m">
        <Alert type="warning">
          For good: its workspaces end, its connections are revoked, and their queues are deleted with all
          that waits in them. You still see it, and what was changed.
        </Alert>
        <FormField label={`Type its name: ${name}`}>
          <Input value={typed} onChange={({ detail }) => setTyped(detail.value)} />
        </FormField>
        {doing.trouble}
        <Button formAction="submit" disabled={typed === ''} loading={doing.isBusy}>
          Close for good
        </Button>
      </SpaceBetween>
    </form>
  );
};
