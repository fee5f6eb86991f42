import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { CommitConflict, Ledger } from '../../../lib/bus/delivery/log.ts';
import { type PublishPorts, publish } from '../../../lib/bus/publishing/publish.ts';
import { validate } from '../../../lib/bus/publishing/verdict.ts';
import { audienceFor } from '../../../lib/checks/run-audience.http.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { ledgerIn } from '../../support/fakes/ledger.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { registryWith } from '../../support/fakes/registry.ts';
import { noTestRuns } from '../../support/fakes/test-runs.ts';
import { countingIds, frozenClock } from '../../support/identity-fakes.ts';
import { linkCommitted, storyContext } from '../../support/messages.ts';
import { connection } from '../tokens/tokens.ts';

const producer = { ...connection, systemIds: ['demo-ncs'] };

const consumer: Connection = {
  ...connection,
  id: 'cconsumer2222',
  kind: 'consumer',
  receives: ['*'],
  queue: 'consumer.fifo',
};

/** A publish over a ledger in memory, to one consumer whose sends begin with `before`. */
const publishing = (before?: () => Promise<undefined>, committing?: Ledger['commit']) => {
  const memory = new SimLedger();
  const clock = frozenClock();
  const ledger = ledgerIn(memory, clock);
  let commit = committing ?? ledger.commit;
  let bodyOf: Ledger['bodyOf'] = ledger.bodyOf;
  const ports: PublishPorts = {
    clock,
    ids: countingIds(),
    registry: registryWith({ consumersOf: async () => [consumer] }),
    ledger: { ...ledger, bodyOf: accepted => bodyOf(accepted), commit: call => commit(call) },
    log: logIn(memory),
    queues: queuesInMemory({ clock, existing: ['consumer.fifo'], ...(before ? { before } : {}) })
      .port,
  };
  const service = publish(ports);
  const audience = audienceFor({ clock, testRuns: noTestRuns }, producer);
  const verdictOfText = (text: string) =>
    service(Buffer.from(text), producer, { audienceOf: audience });
  return {
    dryRunOf: (message: object) =>
      validate(ports)(Buffer.from(JSON.stringify(message)), producer, audience),
    verdictOfText,
    verdictOf: (message: object) => verdictOfText(JSON.stringify(message)),
    /** From now on no body is found. */
    forgetBodies: () => {
      bodyOf = async () => undefined;
    },
    /** From now on every commit is written, and its response is lost. */
    loseResponses: () => {
      commit = async call => {
        await ledger.commit(call);
        throw new Error('the response is lost');
      };
    },
  };
};

/** A publish over a ledger that writes nothing and answers every commit in the same way. */
const publishingWithout = (response: () => Promise<CommitConflict | undefined>) => {
  let commits = 0;
  const { verdictOf } = publishing(undefined, () => {
    commits += 1;
    return response();
  });
  return { verdictOf, commits: () => commits };
};

const refusedBy = (rule: string) => ({ kind: 'refused', violations: [{ rule }] });

test('commit.contention: a snapshot is refused when other writers of its story win five times', async () => {
  const { verdictOf, commits } = publishingWithout(async () => ({
    id: false,
    head: false,
    story: true,
  }));
  expect(await verdictOf(storyContext())).toMatchObject(refusedBy('commit.contention'));
  expect(commits()).toBe(5);
});

test('registry.unavailable: other writers keep the correlation busy, and nothing was accepted', async () => {
  const { verdictOf } = publishingWithout(async () => ({ id: false, head: true, story: false }));
  expect(await verdictOf(linkCommitted())).toMatchObject(refusedBy('registry.unavailable'));
});

test('bus.publish_failed: nobody knows whether the commit happened', async () => {
  const { verdictOf } = publishingWithout(() => Promise.reject(new Error('timed out')));
  expect(await verdictOf(linkCommitted())).toMatchObject({
    ...refusedBy('bus.publish_failed'),
    error: { name: 'Error' },
  });
});

test('bus.publish_failed: a message that may be accepted is not refused as if it were not, whatever wins its story', async () => {
  let commits = 0;
  const { verdictOf } = publishingWithout(async () => {
    commits += 1;
    if (commits === 1) throw new Error('timed out');
    return { id: false, head: false, story: true };
  });
  expect(await verdictOf(storyContext())).toMatchObject({
    ...refusedBy('bus.publish_failed'),
    error: { name: 'Error' },
  });
  expect(commits).toBeGreaterThan(5);
});

test('bus.publish_failed: the verdict names the last error and its queue for the log, and nothing else', async () => {
  const error = Object.assign(new Error('no secrets here'), { name: 'TimeoutError' });
  const { verdictOf } = publishing(() => Promise.reject(error));
  const verdict = await verdictOf(linkCommitted());
  expect(verdict).toMatchObject({
    ...refusedBy('bus.publish_failed'),
    error: { name: 'TimeoutError', queue: 'consumer.fifo' },
  });
  expect(JSON.stringify(verdict)).not.toContain('no secrets here');
});

test('a verdict does not name an error that a later try overcame', async () => {
  let sends = 0;
  const { verdictOf } = publishing(async () => {
    sends += 1;
    if (sends === 1) throw new Error('once');
    return undefined;
  });
  const verdict = await verdictOf(linkCommitted());
  expect(verdict).toMatchObject({ kind: 'accepted' });
  expect(verdict).not.toHaveProperty('error');
});

test('sequence_number.gap: it is reported even when the response to the commit was lost', async () => {
  const { verdictOf, loseResponses } = publishing();
  await verdictOf(storyContext({ story_id: 'one', sequence_number: 1 }));
  loseResponses();
  const verdict = await verdictOf(storyContext({ story_id: 'one', sequence_number: 5 }));
  expect(verdict).toMatchObject({ kind: 'accepted', tolerated: [{ rule: 'sequence_number.gap' }] });
});

test('at most 50 reasons are told of a snapshot that breaks its story’s rules more often', async () => {
  const { verdictOf } = publishing();
  const assets = (asset_type: string) =>
    Array.from({ length: 60 }, (_, at) => ({ asset_id: `a-${at}`, asset_type, status: 'READY' }));
  await verdictOf(storyContext({ story_id: 'one', sequence_number: 1, assets: assets('VIDEO') }));
  const verdict = await verdictOf(
    storyContext({ story_id: 'one', sequence_number: 2, assets: assets('AUDIO') }),
  );
  const rules = verdict.kind === 'refused' ? verdict.violations.map(({ rule }) => rule) : [];
  expect(rules).toEqual(Array.from({ length: 50 }, () => 'asset.type_changed'));
});

test('after a lost response, the verdict is the one of the commit', async () => {
  const { verdictOf, loseResponses } = publishing();
  loseResponses();
  const message = linkCommitted();
  expect(await verdictOf(message)).toMatchObject({ kind: 'accepted', tolerated: [] });
  expect(await verdictOf(message)).toMatchObject({ kind: 'duplicate' });
});

describe('a message_id that is used again', () => {
  const message = linkCommitted({ extensions: { 'com.example.note': 1 } });
  const bodyWith = (
    note: string,
    order: (members: object) => object = members => members,
  ): string =>
    JSON.stringify(order(message), null, 1).replace(
      '"com.example.note": 1',
      `"com.example.note": ${note}`,
    );
  const reversed = (members: object) => Object.fromEntries(Object.entries(members).reverse());

  test.each([
    ['the same bytes', bodyWith('1')],
    [
      'other spaces, another order and another spelling of a number',
      bodyWith('10.00e-1', reversed),
    ],
  ])('%s: it is a duplicate', async (_what, retry) => {
    const { verdictOfText } = publishing();
    expect(await verdictOfText(bodyWith('1'))).toMatchObject({ kind: 'accepted' });
    expect(await verdictOfText(retry)).toMatchObject({ kind: 'duplicate' });
  });

  test.each([['0.1', '0.10000000000000000001']])(
    'message_id.reused: %s was changed to %s',
    async (before, after) => {
      const { verdictOfText } = publishing();
      expect(await verdictOfText(bodyWith(before))).toMatchObject({ kind: 'accepted' });
      expect(await verdictOfText(bodyWith(after))).toMatchObject(refusedBy('message_id.reused'));
    },
  );

  test('message_id.reused: the body of the accepted message is no longer kept', async () => {
    const { verdictOfText, forgetBodies } = publishing();
    expect(await verdictOfText(bodyWith('1'))).toMatchObject({ kind: 'accepted' });
    forgetBodies();
    expect(await verdictOfText(bodyWith('1'))).toMatchObject({ kind: 'duplicate' });
    expect(await verdictOfText(bodyWith('1', reversed))).toMatchObject(
      refusedBy('message_id.reused'),
    );
  });
});

test('correlation_id.reserved: a message of a test run that is not there reaches nobody, and a dry run says so', async () => {
  const { verdictOf, dryRunOf } = publishing();
  const message = linkCommitted({ correlation_id: '736f6d63-686b-8000-87f1-181c3d40534d' });
  const expected = {
    kind: 'refused',
    violations: [{ rule: 'correlation_id.reserved', path: '/correlation_id' }],
  };
  expect(await dryRunOf(message)).toMatchObject(expected);
  expect(await verdictOf(message)).toMatchObject(expected);
});
