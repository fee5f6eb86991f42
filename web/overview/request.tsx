import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { useCall } from '../page/data.tsx';
import { useDoing } from '../page/doing.tsx';
import { urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';

type Asked = ResponseOf<'organisation.requests'>['organisations'][number];

/** What became of a request. */
const Request = ({ request: { name, type, status, created_at: at } }: { readonly request: Asked }) => (
  <Alert type={status === 'requested' ? 'info' : 'warning'}>
    You asked for {name}, a {type}, at <When at={at} />.{' '}
    {status === 'requested'
      ? 'Your request is with the operator. When it is approved, it shows here.'
      : 'The operator has declined it.'}
  </Alert>
);

const Form = ({ onAsked }: { onAsked(): void }) => {
  const [name, setName] = useState('');
  const [type, setType] = useState('house');
  const doing = useDoing();
  const ask = () =>
    doing.run(
      () => call('organisation.request', { body: { name, type } }),
      undefined,
      () => {
        setName('');
        onAsked();
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (name.trim() !== '') void ask();
      }}
    >
      <SpaceBetween size="m">
        <FormField label="Name of the organisation">
          <Input value={name} onChange={({ detail }) => setName(detail.value)} />
        </FormField>
        <FormField label="Kind">
          <RadioGroup
            value={type}
            items={[
              { value: 'house', label: 'House (broadcaster)' },
              { value: 'vendor', label: 'Vendor of systems' },
            ]}
            onChange={({ detail }) => setType(detail.value)}
          />
        </FormField>
        {doing.trouble}
        <Button variant="primary" formAction="submit" loading={doing.isBusy}>
          Request organisation
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** For somebody who belongs nowhere yet. */
export const AskForOrganisation = () => {
  const requests = useCall('organisation.requests');
  return (
    <>
      {requests.value?.organisations.map(request => (
        <Request key={request.organisation_id} request={request} />
      ))}
      <Box>
        If somebody invited you, open the link of the invitation, or <a href={urlOf('join')}>paste it here</a>
        . Otherwise request an organisation of your own.
      </Box>
      <div className="narrow">
        <Container header={<Header variant="h2">Request an organisation</Header>}>
          <Form onAsked={requests.again} />
        </Container>
      </div>
    </>
  );
};
