/** @jsxImportSource preact */
import type { CoverageAnswer } from '../../lib/contract/checks.ts';
import { Table } from '../page/table.tsx';

type Row = CoverageAnswer['rows'][number];

const Member = ({
  row: { message_type: type, member, required, seen, values_missing: missing },
}: {
  readonly row: Row;
}) => (
  <tr>
    <td>
      <code>{type}</code>
    </td>
    <th scope="row">
      <code>{member}</code>
    </th>
    <td>{required ? 'required' : 'optional'}</td>
    <td>{seen ? 'seen' : 'not seen'}</td>
    <td>{missing?.join(', ')}</td>
  </tr>
);

/** How much of SOM 1.0 a producer has used: at first what it has not. */
export const Coverage = ({ coverage: { percent, rows } }: { readonly coverage: CoverageAnswer }) => {
  const isOpen = ({ seen, values_missing }: Row) => !seen || (values_missing?.length ?? 0) > 0;
  const ordered = [...rows.filter(isOpen), ...rows.filter(row => !isOpen(row))];
  return (
    <>
      <h2>Coverage of SOM 1.0: {percent} %</h2>
      <details>
        <summary>
          {rows.filter(isOpen).length} of {rows.length} members were not seen, or not with all their values
        </summary>
        <Table
          label="Members of SOM 1.0, those not seen first"
          heads={['Message type', 'Member', 'In SOM', 'Seen', 'Values not seen']}
        >
          {ordered.map(row => (
            <Member key={`${row.message_type} ${row.member}`} row={row} />
          ))}
        </Table>
      </details>
    </>
  );
};
