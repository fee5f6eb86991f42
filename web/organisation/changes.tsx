/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { call, type Failure } from '../page/call.ts';
import { When } from '../page/facts.tsx';
import { Table } from '../page/table.tsx';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';

type Change = AnswerOf<'organisation.changes'>['changes'][number];

const Row = ({ change: { at, by, what, facts } }: { readonly change: Change }) => (
  <tr>
    <td>
      <When at={at} />
    </td>
    <td>{by ?? 'the operator’s command line'}</td>
    <td>
      <code>{what}</code>
    </td>
    <td>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          {name} <code>{value}</code>
        </div>
      ))}
    </td>
  </tr>
);

/** Who changed what. */
export const ChangeRecord = ({ o }: { readonly o: string }) => {
  const loading = useCall('organisation.changes', { names: { o } });
  const older = useSignal<AnswerOf<'organisation.changes'> | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const readOlder = async (before: string) => {
    const reply = await call('organisation.changes', { names: { o }, query: { before } });
    failure.value = reply.kind === 'ok' ? undefined : reply;
    if (reply.kind === 'ok')
      older.value = { ...reply.value, changes: [...(older.value?.changes ?? []), ...reply.value.changes] };
  };
  return (
    <>
      <h2>What was changed</h2>
      <Loaded loading={loading}>
        {first => {
          const changes = [...first.changes, ...(older.value?.changes ?? [])];
          const { next } = older.value ?? first;
          return (
            <>
              {changes.length === 0 && <p class="empty">Nothing was changed in the last 90 days.</p>}
              {changes.length > 0 && (
                <Table label="Changes" heads={['When', 'Who', 'What', 'Details']}>
                  {changes.map((change, place) => (
                    <Row key={`${change.at}${place}`} change={change} />
                  ))}
                </Table>
              )}
              {failure.value && <Trouble failure={failure.value} />}
              {next !== undefined && (
                <button type="button" onClick={() => void readOlder(next)}>
                  Show older
                </button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
};
