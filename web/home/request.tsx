import { useSignal } from '@preact/signals';
import { ActionForm, useAction } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { ChoiceField, TextField } from '../page/fields.tsx';

/** For somebody who belongs nowhere yet. */
export const AskForOrganisation = () => {
  const name = useSignal('');
  const type = useSignal('house');
  const isAsked = useSignal(false);
  const action = useAction('organisation.request', 'Your request is sent.');
  const ask = async () => {
    const asked = await action.run({ body: { name: name.value, type: type.value } });
    isAsked.value = asked !== undefined;
  };
  if (isAsked.value)
    return (
      <p class="notice" role="status">
        Your request is with the operator. When it is approved, {name.value} shows here.
      </p>
    );
  return (
    <>
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
