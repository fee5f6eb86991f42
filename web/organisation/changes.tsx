import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { useDoing } from '../page/doing.tsx';
import { When } from '../page/time.tsx';

type Changes = ResponseOf<'organisation.changes'>;

const Read = ({ o, first }: { readonly o: string; readonly first: Changes }) => {
  const [{ changes, next }, setRead] = useState(first);
  const doing = useDoing();
  const readOlder = (before: string) =>
    void doing.run(
      () => call('organisation.changes', { names: { o }, query: { before } }),
      undefined,
      older => setRead({ ...older, changes: [...changes, ...older.changes] }),
    );
  return (
    <Table
      variant="embedded"
      contentDensity="compact"
      wrapLines
      items={changes}
      header={
        <Header variant="h2" description="What people changed in the last 90 days.">
          Record of changes
        </Header>
      }
      empty={<Box>Nothing was changed in the last 90 days.</Box>}
      columnDefinitions={[
        { id: 'at', header: 'When', cell: one => <When at={one.at} /> },
        { id: 'by', header: 'Who', cell: one => one.by ?? 'the operator’s command line' },
        { id: 'what', header: 'What', isRowHeader: true, cell: one => <code>{one.what}</code> },
        {
          id: 'facts',
          header: 'Details',
          cell: one =>
            Object.entries(one.facts).map(([name, value]) => (
              <div key={name}>
                {name} <code>{value}</code>
              </div>
            )),
        },
      ]}
      footer={
        next !== undefined && (
          <SpaceBetween size="s">
            {doing.trouble}
            <Button loading={doing.isBusy} onClick={() => readOlder(next)}>
              Show older
            </Button>
          </SpaceBetween>
        )
      }
    />
  );
};

/** Who changed what. */
export const ChangeRecord = ({ o }: { readonly o: string }) => {
  const loading = useCall('organisation.changes', { names: { o } });
  return <Loaded loading={loading}>{first => <Read o={o} first={first} />}</Loaded>;
};
