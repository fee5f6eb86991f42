import ExpandableSection from '@cloudscape-design/components/expandable-section';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import type { CoverageResponse } from '../../lib/contract/checks.ts';

type Row = CoverageResponse['rows'][number];

const isOpen = ({ seen, values_missing }: Row) => !seen || (values_missing?.length ?? 0) > 0;

/** How much of SOM 1.0 a producer has used: at first what it has not. */
export const Coverage = ({ coverage: { percent, rows } }: { readonly coverage: CoverageResponse }) => (
  <ExpandableSection
    variant="container"
    headerText={`Coverage of SOM 1.0: ${percent} %`}
    headerDescription={`${rows.filter(isOpen).length} of ${rows.length} members were not seen, or not with all their values`}
  >
    <Table
      variant="embedded"
      contentDensity="compact"
      ariaLabels={{ tableLabel: 'Members of SOM 1.0, those not seen first' }}
      items={[...rows.filter(isOpen), ...rows.filter(row => !isOpen(row))]}
      columnDefinitions={[
        { id: 'type', header: 'Message type', cell: row => <code>{row.message_type}</code> },
        { id: 'member', header: 'Member', isRowHeader: true, cell: row => <code>{row.member}</code> },
        { id: 'required', header: 'In SOM', cell: row => (row.required ? 'required' : 'optional') },
        {
          id: 'seen',
          header: 'Seen',
          cell: row => (
            <StatusIndicator type={row.seen ? 'success' : 'stopped'}>
              {row.seen ? 'seen' : 'not seen'}
            </StatusIndicator>
          ),
        },
        { id: 'missing', header: 'Values not seen', cell: row => row.values_missing?.join(', ') ?? '' },
      ]}
    />
  </ExpandableSection>
);
