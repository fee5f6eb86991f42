import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { useEffect, useRef } from 'react';
import { call } from '../page/call.ts';
import { useCall } from '../page/data.tsx';
import { Form } from '../page/form.tsx';
import { Section } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { loadSession } from '../page/session.ts';
import { When } from '../page/time.tsx';

/** How often it is asked whether the operator has decided. */
const askMilliseconds = 10_000;

/** For somebody who belongs nowhere yet. */
export const AskForOrganisation = () => {
  const requests = useCall('organisation.requests', {}, askMilliseconds);
  const open = requests.value?.organisations.filter(one => one.status === 'requested').length;
  const before = useRef(open);
  // What is approved is no request any more: the page goes on to it by itself.
  useEffect(() => {
    if (open !== undefined && open < (before.current ?? 0)) void loadSession();
    before.current = open;
  }, [open]);
  return (
    <>
      {requests.value?.organisations.map(
        ({ organisation_id: o, name, type, status, created_at: at }) => (
          <Alert key={o} type={status === 'requested' ? 'info' : 'warning'}>
            You asked for {name}, a {type}, at <When at={at} />.{' '}
            {status === 'requested'
              ? 'Your request is with the operator. Once it is approved, this page goes on by itself.'
              : 'The operator has declined it.'}
          </Alert>
        ),
      )}
      <Box>
        If somebody invited you, open the link of the invitation, or{' '}
        <a href={urlOf('join')}>paste it here</a>. Otherwise request an organisation of your own.
      </Box>
      <div className="narrow">
        <Section title="Request an organisation">
          <Form
            first={{ name: '', type: 'house', reason: '' }}
            fields={() => [
              { name: 'name', label: 'Name of the organisation' },
              {
                name: 'type',
                label: 'Kind',
                options: [
                  { value: 'house', label: 'House (broadcaster)' },
                  { value: 'vendor', label: 'Vendor of systems' },
                ],
              },
              {
                name: 'reason',
                label: 'What you need it for (optional)',
                description: 'The operator reads it before deciding.',
                rows: 3,
              },
            ]}
            button="Request organisation"
            variant="primary"
            work={(body, clear) => ({
              send: () => call('organisation.request', { body }),
              after: () => {
                clear();
                requests.again();
              },
            })}
          />
        </Section>
      </div>
    </>
  );
};
