import { entryItem } from '../../../lib/adapters/aws/ledger-items.ts';
import { environments } from '../../../lib/contract/environments.ts';
import { entry, time } from '../entries.ts';

const daySeconds = 86_400;

test.each([
  ['sandbox', 44],
  ['preview', 21],
] as const)(
  'an entry of the %s expires after %i days: the archive, and two weeks to be sent',
  (name, days) => {
    const { expires_at } = entryItem(entry('m1'), environments[name].archiveDays);
    expect(expires_at).toBe(time / 1000 + days * daySeconds);
  },
);
