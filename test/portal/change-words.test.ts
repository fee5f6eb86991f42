import sentences from '../../lib/contract/portal/change-sentences.json';
import { changeWords, madeBy } from '../../lib/portal/change-words.ts';
import { portalHere } from './portal-people.ts';

const names = new Map([
  ['c1', 'fennel-mam'],
  ['w1', 'Evening News'],
  ['o2', 'Widgets GmbH'],
  ['local/ann', 'Ann'],
]);

describe('a change in words', () => {
  test.each([
    ['connection.make', { connection: 'c1', kind: 'producer' }, 'created the producer fennel-mam'],
    [
      'connection.permit',
      {
        connection: 'c1',
        changed: 'grants systemIds',
        grants: 'link.* story.*',
        systemIds: 'mam',
      },
      'allowed fennel-mam to send link.*, story.* and to send as mam',
    ],
    [
      'connection.permit',
      { connection: 'c1', changed: 'sources', sources: '' },
      'allowed fennel-mam to receive from every system',
    ],
    [
      'secret.end',
      { connection: 'c1', which: 'previous' },
      'ended a secret of fennel-mam (previous)',
    ],
    ['workspace.add', { workspace: 'w1' }, 'created the workspace Evening News'],
    ['member.role', { member: 'local/ann', role: 'owner' }, 'made Ann owner'],
    [
      'vendor.end',
      { workspace: 'w1', vendor: 'o2', revoked: '3' },
      'ended the place of Widgets GmbH in Evening News (connections revoked: 3)',
    ],
    [
      'alert.make',
      { kind: 'message_waits', to: 'hooks.example.com' },
      'created the alert “A message waits longer than” to hooks.example.com',
    ],
  ])('%s %j', (what, facts, words) => {
    expect(changeWords({ what, facts }, names)).toBe(words);
  });

  test('has an id where no name is known, and no change is without a sentence', () => {
    expect(changeWords({ what: 'connection.pause', facts: { connection: 'c9' } }, names)).toBe(
      'paused c9',
    );
    const told = Object.keys(sentences).map(what => changeWords({ what, facts: {} }, names));
    expect(told.filter(words => !/^[a-z]+ /.test(words) || words.includes('undefined'))).toEqual(
      [],
    );
    expect(told.length).toBeGreaterThan(40);
  });

  test('is made by a person, or at the operator’s command line', () => {
    expect(madeBy({ by: { issuer: 'i', subject: 's', name: 'Ann' } })).toBe('Ann');
    expect(madeBy({ by: undefined })).toBe('the operator’s command line');
  });
});

describe('in the portal', () => {
  const portal = portalHere();

  test('names stand in the record of changes and in the activity, as the sentence of a person', async () => {
    const made = await portal.editor('connection.make', {
      body: { kind: 'producer', app: 'Fennel MAM', system_ids: ['fennel'], grants: ['link.*'] },
    });
    expect(made.status).toBe(200);
    const c = made.body.connection_id;
    const permitted = await portal.editor('connection.permit', {
      subject: { c },
      body: { version: made.body.version, grants: ['story.*'] },
    });
    expect(permitted.status).toBe(200);
    const [last, before] = await portal.changes();
    const sentence = 'allowed Fennel MAM to send story.*';
    expect([last.by, last.words]).toEqual(['the-editor', sentence]);
    expect(before.words).toBe('created the producer Fennel MAM');
    const { body } = await portal.viewer('workspace.activity', { query: { kind: 'changed' } });
    expect(body.activity[0]).toMatchObject({ by: 'the-editor', words: sentence });
  });
});
