import { unlessFull } from '../../access/registry/declined.ts';
import { defined } from '../../contract/outside.ts';
import { alertKindNames } from '../../contract/portal/alerts.ts';
import { countedIn, endCounted, writeWithin } from '../../platform/aws/bounded.ts';
import { assignments, expr } from '../../platform/aws/expression.ts';
import { holds } from '../../platform/aws/many-items.ts';
import {
  findItem,
  type Item,
  itemReader,
  itemsUnder,
  type Table,
  updateItem,
} from '../../platform/aws/table.ts';
import type { Alert, AlertName, AlertState, Alerts } from './alerts.ts';

/*
 * All alerts are in one partition of the registry: there are few, and whoever looks at them reads
 * them all. Only the functions of the portal's calls and of the alerts may read it, since the
 * secrets of the webhooks are in it.
 */

const partition = 'ALERTS';

const prefixOf = (organisation: string, workspace: string): string =>
  `${organisation}#${workspace}#`;

const keyOf = ({ organisation, workspace, id }: AlertName) => ({
  pk: partition,
  sk: prefixOf(organisation, workspace) + id,
});

const alertItem = (alert: Alert): Item => {
  const { id, organisation, workspace, kind, threshold, connection, revision } = alert;
  return {
    ...keyOf(alert),
    id,
    organisation,
    workspace,
    kind,
    threshold,
    revision,
    target: JSON.stringify(alert.to),
    ...defined({ connection }),
    created_at: alert.createdAt,
    state: JSON.stringify(alert.state),
  };
};

const readAlert = (item: Item): Alert => {
  const read = itemReader(item);
  return {
    id: read.text('id'),
    organisation: read.text('organisation'),
    workspace: read.text('workspace'),
    kind: read.oneOf('kind', alertKindNames),
    threshold: read.number('threshold'),
    ...(read.has('connection') && { connection: read.text('connection') }),
    to: JSON.parse(read.text('target')) as Alert['to'], // what `alertItem` or `save` wrote
    createdAt: read.text('created_at'),
    state: JSON.parse(read.text('state')) as AlertState, // also theirs
    revision: read.number('revision'),
  };
};

const under = async (table: Table, prefix: string): Promise<readonly Alert[]> =>
  (await itemsUnder(table, partition, prefix)).map(readAlert);

/** Alerts in DynamoDB. */
export const awsAlerts = (table: Table): Alerts => ({
  // An id of an organisation begins with an o.
  all: () => under(table, 'o'),
  of: (organisation, workspace) => under(table, prefixOf(organisation, workspace)),

  find: name => findItem(table, keyOf(name), readAlert),

  async add(alert, slots) {
    const holding = { slots, holders: [alert.id] };
    const Item = { ...alertItem(alert), ...countedIn(holding) };
    return unlessFull(writeWithin(table, [{ Put: { Item } }], holding));
  },

  async save(alert) {
    const { threshold, revision } = alert;
    const next = { ...alert, revision: revision + 1 };
    const [target, state] = [JSON.stringify(alert.to), JSON.stringify(alert.state)];
    const write = updateItem(table, {
      Key: keyOf(alert),
      UpdateExpression: expr`SET ${assignments({ threshold, target, state, revision: next.revision })}`,
      ConditionExpression: expr`revision = ${revision}`,
    });
    return (await holds(write)) ? next : undefined;
  },

  remove: name =>
    endCounted(table, {
      Delete: { Key: keyOf(name), ConditionExpression: 'attribute_exists(pk)' },
    }),
});
