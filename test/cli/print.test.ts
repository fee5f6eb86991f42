import {
  connectionRecord,
  partyRecord,
  printIssued,
  printRecord,
  printTable,
  secretRecord,
} from '../../lib/cli/print.ts';
import { connectionOf } from '../corpus/connections.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';
import { unused } from '../support/fakes/unused.ts';

const consumer = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
const producer = connectionOf('caaaaaaaaaaaa', 'producer', 'waaaaaaaaaaaa');
const url = (queue: string) => `https://queues.example/${queue}`;

const printed = (print: (terminal: ReturnType<typeof recordingTerminal>['terminal']) => void) => {
  const { terminal, printed: lines } = recordingTerminal();
  print(terminal);
  return lines;
};

test('a record is lines of equal width, or one line of JSON', () => {
  const record = { id: 'x', longer_name: ['a', 'b'], none: [], nothing: undefined, quota: { burst: 2 } };
  expect(printed(terminal => printRecord(terminal, record, false))).toEqual([
    'id           x',
    'longer_name  a b',
    'none         -',
    'nothing      -',
    'quota        {"burst":2}',
  ]);
  expect(printed(terminal => printRecord(terminal, record, true))).toEqual([
    '{"id":"x","longer_name":["a","b"],"none":[],"quota":{"burst":2}}',
  ]);
});

test('records are a table with a header, or one line of JSON', () => {
  const records = [
    { id: 'a', name: 'one' },
    { id: 'long', name: 'x' },
  ];
  expect(printed(terminal => printTable(terminal, records, false))).toEqual([
    'id    name',
    'a     one',
    'long  x',
  ]);
  expect(printed(terminal => printTable(terminal, records, true))).toEqual([JSON.stringify(records)]);
  expect(printed(terminal => printTable(terminal, [], false))).toEqual(['(none)']);
  expect(printed(terminal => printTable(terminal, [], true))).toEqual(['[]']);
});

test('parties have the members of their kind', () => {
  const facts = { id: 'x', name: 'house', status: 'active', createdAt: '2026-05-04T09:00:00Z' } as const;
  const common = { name: 'house', status: 'active', created_at: '2026-05-04T09:00:00Z' };
  expect(partyRecord({ ...facts, kind: 'organisation', type: 'house', tier: 'high' })).toEqual({
    organisation_id: 'x',
    type: 'house',
    tier: 'high',
    ...common,
  });
  expect(partyRecord({ ...facts, kind: 'app', organisation: 'o' })).toEqual({
    app_id: 'x',
    organisation_id: 'o',
    ...common,
  });
});

test('connections have the members of their kind', () => {
  const common = {
    status: 'active',
    workspace_id: 'waaaaaaaaaaaa',
    app_id: 'a222222222222',
    credential_version: 1,
    tier: 'standard',
    created_at: '2026-01-01T00:00:00Z',
  };
  expect(connectionRecord(producer, url)).toEqual({
    ...common,
    connection_id: producer.id,
    kind: 'producer',
    system_ids: ['demo-ncs'],
    grants: ['*'],
  });
  const quota = { perSecond: 1, burst: 2, perDay: 3 };
  expect(connectionRecord({ ...consumer, quota }, url)).toEqual({
    ...common,
    connection_id: consumer.id,
    kind: 'consumer',
    tier: 'custom',
    quota: { requests_per_second: 1, burst: 2, requests_per_day: 3 },
    receives: ['*'],
    sources: [],
    queue_url: 'https://queues.example/sombus-cbbbbbbbbbbbb.fifo',
  });
});

test('secrets have their ages and last uses', () => {
  const issuedAt = '2026-05-04T09:00:00Z';
  const lastUsedAt = '2026-05-05T09:00:00Z';
  expect(secretRecord({ version: 1 })).toEqual({ secret_issued_at: null, secret_last_used_at: null });
  expect(
    secretRecord({
      version: 2,
      current: { hash: 'h', issuedAt, lastUsedAt },
      previous: { hash: 'g', until: Date.parse('2026-05-06T09:00:00Z'), lastUsedAt },
    }),
  ).toEqual({
    secret_issued_at: issuedAt,
    secret_last_used_at: lastUsedAt,
    previous_secret_until: '2026-05-06T09:00:00.000Z',
    previous_secret_last_used_at: lastUsedAt,
  });
  expect(secretRecord({ version: 2, previous: { hash: 'g', until: 0 } })).toMatchObject({
    previous_secret_last_used_at: null,
  });
});

test('a new secret is shown after the id, before everything else', () => {
  const { terminal, printed: lines } = recordingTerminal();
  const context = {
    terminal,
    registry: () => unused<never>('the registry'),
  };
  const issued = {
    kind: 'issued',
    connection: producer,
    credential: { version: 1 },
    clientSecret: 'sbs_x',
    queueUrl: url,
  } as const;
  printIssued(context, issued, false);
  expect(lines.slice(0, 3)).toEqual([
    `connection_id       ${producer.id}`,
    'client_secret       sbs_x',
    'kind                producer',
  ]);
});
