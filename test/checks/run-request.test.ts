import { runRequest } from '../../lib/checks/run-request.ts';
import type { JsonObject } from '../../lib/platform/json/value.ts';

const consumer = { id: 'cbbbbbbbbbbbb', kind: 'consumer' } as const;
const producer = { id: 'caaaaaaaaaaaa', kind: 'producer' } as const;

const asked = (body: JsonObject) => runRequest({ kind: 'consumer', ...body }, consumer);
const declined = (reason: string) => ({ kind: 'declined', reason });

test('a run is asked for with the names of the service, by the connection itself', () => {
  const given = {
    role: 'cms',
    cases: ['a', 'b', 'a'],
    instances: 'given',
    restarts: false,
    reaction: 'link.committed',
  };
  const body = {
    ...given,
    kind: 'executor',
    producer: 'p',
    message_types: ['y', 'x', 'y'],
    limit_seconds: 30,
    within_seconds: 5,
    system_version: '1.2',
    binds_first_seen: true,
  };
  expect(runRequest(body, consumer)).toEqual({
    ...given,
    kind: 'executor',
    consumer: 'cbbbbbbbbbbbb',
    producer: 'p',
    cases: ['a', 'b'],
    messageTypes: ['y', 'x'],
    limitSeconds: 30,
    withinSeconds: 5,
    systemVersion: '1.2',
    bindsFirstSeen: true,
  });
  expect(runRequest({ kind: 'producer' }, producer)).toEqual({
    kind: 'producer',
    producer: 'caaaaaaaaaaaa',
  });
  expect(asked({ consumer: 'another' })).toEqual({ kind: 'consumer', consumer: 'another' });
});

test('a member that is not known is named', () => {
  for (const name of ['limitSeconds', 'toString', 'own_cases'])
    expect(asked({ [name]: 1 })).toEqual(declined(`The member "${name}" is not known here.`));
});

const l200 = Array.from({ length: 200 }, (_, at) => `case-${at}`);

test.each<[string, readonly unknown[], readonly unknown[], string]>([
  [
    'kind',
    ['producer', 'consumer', 'executor'],
    ['', 'both', 1, null],
    'one of producer, consumer, executor',
  ],
  [
    'role',
    ['story-owner', 'automation'],
    ['', 'owner', 1],
    'one of story-owner, executor, media-store, committing, governance, planning, ncs, rundown, ' +
      'mam, skill, graphics, cms, playout, social, standards, automation',
  ],
  ['consumer', ['', 'c'], [1, null, ['c']], 'the id of a connection'],
  ['producer', ['', 'p'], [1, null, ['p']], 'the id of a connection'],
  [
    'cases',
    [[], ['a'], l200],
    [[...l200, 'a'], ['a', 1], 'a', { length: 0 }],
    'a list of at most 200 texts',
  ],
  ['message_types', [[], l200], [[...l200, 'a'], [null], 'a'], 'a list of at most 200 texts'],
  ['limit_seconds', [1, 0, -5, 1_000], [1.5, '1', null], 'a whole number'],
  ['instances', ['registered', 'given'], ['', 'none', true], 'registered or given'],
  ['restarts', [true, false], ['true', 1, null], 'true or false'],
  ['reaction', ['', 'a'.repeat(100)], ['a'.repeat(101), 1, null], 'a message type'],
  ['within_seconds', [1, 3_600], [0, 3_601, 1.5, '1', null], 'a whole number from 1 to 3600'],
  [
    'system_version',
    ['', 'a'.repeat(100)],
    ['a'.repeat(101), 1],
    'a text of at most 100 characters',
  ],
  ['binds_first_seen', [true, false], ['false', 0], 'true or false'],
])('%s has to be what it is for', (name, good, bad, words) => {
  for (const value of good) expect(asked({ [name]: value })).not.toHaveProperty('reason');
  for (const value of bad)
    expect(asked({ [name]: value })).toEqual(declined(`${name} has to be ${words}.`));
});

test('the kind of a run may not be left out', () => {
  expect(runRequest({}, producer)).toEqual(
    declined('kind has to be one of producer, consumer, executor.'),
  );
});
