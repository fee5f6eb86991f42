/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { ActionForm, useAction } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { When } from '../page/facts.tsx';
import { ChoiceField, TextField } from '../page/fields.tsx';
import { useCall } from '../page/trouble.tsx';

type Asked = AnswerOf<'organisation.requests'>['organisations'][number];

/** What became of a request. */
const Request = ({ request: { name, type, status, created_at: at } }: { readonly request: Asked }) => (
  <p class="notice">
    You asked for {name}, a {type}, at <When at={at} />.{' '}
    {status === 'requested'
      ? 'Your request is with the operator. When it is approved, it shows here.'
      : 'The operator has declined it.'}
  </p>
);

/** For somebody who belongs nowhere yet. */
export const AskForOrganisation = () => {
  const name = useSignal('');
  const type = useSignal('house');
  const action = useAction('organisation.request', 'Your request is with the operator.');
  const requests = useCall('organisation.requests');
  const ask = async () => {
    if (!(await action.run({ body: { name: name.value, type: type.value } }))) return;
    name.value = '';
    requests.again();
  };
  return (
    <>
      {requests.value?.organisations.map(request => (
        <Request key={request.organisation_id} request={request} />
      ))}
      <p>
        You belong to no organisation yet. If somebody invited you, open the link of the invitation, or{' '}
        <a href={addressOf('join')}>paste it here</a>. Otherwise ask for an organisation of your own:
      </p>
      <ActionForm button="Ask for it" action={action} run={() => void ask()}>
        <TextField label="Name of the organisation" value={name} required />
        <ChoiceField label="It is" value={type}>
          <option value="house">a house (broadcaster)</option>
          <option value="vendor">a vendor of systems</option>
        </ChoiceField>
      </ActionForm>
    </>
  );
};
