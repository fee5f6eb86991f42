/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { ActionForm, useAction } from '../page/action.tsx';
import { TextField } from '../page/fields.tsx';
import { loadOrganisations } from '../page/places.ts';

/** Closes an organisation, after its name was typed. */
export const Closing = ({ o, name, again }: { readonly o: string; readonly name: string; again(): void }) => {
  const typed = useSignal('');
  const action = useAction('connection.closeOrganisation', 'The organisation is closed.');
  const close = async () => {
    if (!(await action.run({ names: { o }, body: { confirm: typed.value } }))) return;
    again();
    await loadOrganisations();
  };
  return (
    <details>
      <summary>Close this organisation</summary>
      <p>
        For good: its workspaces end, its connections are revoked, and their queues are deleted with all that
        waits in them. You still see it, and what was changed.
      </p>
      <ActionForm button="Close it for good" action={action} run={() => void close()}>
        <TextField label={`Type its name: ${name}`} value={typed} required />
      </ActionForm>
    </details>
  );
};
