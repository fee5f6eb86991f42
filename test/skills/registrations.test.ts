import { TransactionCanceledException, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../lib/aws/table.ts';
import { awsSkillRegistrations } from '../../lib/skills/registrations.dynamodb.ts';
import { tableAnswering } from '../support/fakes/aws-clients.ts';

const registrations = Array.from({ length: 150 }, (_, index) => ({
  id: `r${index}`,
  connection: 'cabcdefghijkl',
  skill_id: 'smart-stories/gate-by-scope',
  skill_version: '0.2.2',
  instance_label: `label-${index}`,
  values: {},
  paused: false,
  createdAt: '2026-01-01T00:00:00.000Z',
}));

/** A table whose third transaction finds its third label taken. */
const tableWithConflict = (sent: unknown[]): Table =>
  tableAnswering(async command => {
    sent.push(command);
    if (sent.filter(one => one instanceof TransactWriteItemsCommand).length !== 3) return {};
    if (!(command instanceof TransactWriteItemsCommand)) return {};
    const reasons = command.input.TransactItems?.map((_, index) => ({
      Code: index === 2 ? 'ConditionalCheckFailed' : 'None',
    }));
    throw new TransactionCanceledException({
      message: 'cancelled',
      $metadata: {},
      CancellationReasons: reasons ?? [],
    });
  });

describe('adding more registrations than one transaction takes', () => {
  test('removes the first ones again if another command registers a later label in the meantime', async () => {
    const sent: unknown[] = [];
    const skills = awsSkillRegistrations(tableWithConflict(sent));
    expect(await skills.add(registrations, [])).toEqual({ taken: 'label-102' });
    const removed = sent.flatMap(one =>
      one instanceof TransactWriteItemsCommand
        ? (one.input.TransactItems ?? []).flatMap(
            write => write.Delete?.ExpressionAttributeValues?.[':id']?.S ?? [],
          )
        : [],
    );
    expect(removed).toEqual(registrations.slice(0, 100).map(({ id }) => id));
  });
});
