import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import { consumerPlan } from '../../lib/checks/consumer-plan.ts';
import { executorPlan, producerPlan, reactionPlan } from '../../lib/checks/plans.ts';
import { roles, unprovenIn } from '../../lib/checks/roles.ts';
import type { StartRequest } from '../../lib/checks/start.ts';
import { type CaseVerdict, checkKinds, checkRoles } from '../../lib/contract/portal/checks.ts';
import type { WrittenRoles } from '../../scripts/generators/check-cases.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

const [schema, file] = ['checks/roles.schema.json', 'checks/roles.yaml'].map(path =>
  parse(readFileSync(path, 'utf8')),
);
const { everyone, roles: written, systems }: WrittenRoles = file;

test('checks/roles.yaml follows its schema, and has the roles that a run can be started for', () => {
  const validate = new Ajv2020({ allErrors: true, strict: true }).compile(schema);
  expect(validate(file) ? [] : validate.errors).toEqual([]);
  expect(validate({ ...file, roles: { clerk: { name: 'clerk' } } })).toBe(false);
  expect([...Object.keys(written), ...Object.keys(systems)].toSorted()).toEqual(
    [...checkRoles].toSorted(),
  );
});

test('every name in it is a case, or a group of cases, of its kind', () => {
  const plans = {
    consumer: [...consumerPlan(), ...reactionPlan],
    producer: [...producerPlan(), ...producerPlan(['story.context'])],
    executor: executorPlan(),
  };
  const named = checkKinds.flatMap(kind => [
    ...everyone[kind].map(name => [kind, name] as const),
    ...Object.values(written).flatMap(role => {
      const { cases = [], oneOf = [] } = role[kind] ?? {};
      return [...cases, ...oneOf].map(name => [kind, name] as const);
    }),
  ]);
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter(
    ([kind, name]) => !plans[kind].some(({ id }) => id === name || id.startsWith(`${name}/`)),
  );
  expect(missing).toEqual([]);
});

test('a system of the newsroom has to prove what its roles do', () => {
  const { graphics, mam, ...others } = roles;
  expect(graphics).toMatchObject({ name: 'a graphics system', roles: ['executor', 'committing'] });
  expect(Object.keys(graphics?.proofs ?? {})).toEqual(['producer', 'consumer', 'executor']);
  expect(Object.keys(others['media-store']?.proofs ?? {})).toEqual(['producer']);
  expect(mam?.proofs.producer).toEqual({
    cases: ['messages/delivery.media_available'],
    oneOf: [],
  });
  expect(graphics?.proofs.consumer?.oneOf).toEqual(
    expect.arrayContaining(['messages/story.context', 'messages/telling.started']),
  );
});

describe('what is not proved', () => {
  const unproven = (role: string | undefined, verdicts: Readonly<Record<string, CaseVerdict>>) =>
    unprovenIn(
      { kind: 'producer', ...(role !== undefined && { role }) },
      Object.entries(verdicts).map(([case_id, verdict]) => ({
        ...{ case_id, verdict, title: '', checks: [], message_ids: [], rules: [] },
      })),
    );
  const sent = { 'messages/delivery.media_available': 'passed' } as const;

  test('is what everyone has to prove, and was not run', () => {
    const verdicts = {
      ...sent,
      'retries/lost-answer': 'not run',
      'retries/secret-rotated': 'not run',
    };
    expect(unproven(undefined, verdicts as Record<string, CaseVerdict>)).toEqual([
      'retries/lost-answer',
    ]);
  });

  test('is not what does not apply, unless the role names it', () => {
    const other = { 'messages/delivery.media_available': 'not applicable' } as const;
    expect(unproven(undefined, other)).toEqual([]);
    expect(unproven('media-store', other)).toEqual(['messages/delivery.media_available']);
    expect(unproven('media-store', {})).toEqual(['messages/delivery.media_available']);
    expect(unproven('media-store', sent)).toEqual([]);
  });

  test('is one of several, if the role may choose', () => {
    const choice =
      'messages/link.committed or messages/telling.started or messages/telling.exposed';
    expect(unproven('playout', sent)).toEqual([choice]);
    expect(unproven('playout', { 'messages/telling.started': 'passed' })).toEqual([]);
    expect(unproven('playout', { 'messages/telling.started': 'not applicable' })).toEqual([choice]);
  });

  test('is, of an executor, whatever was played and not run', () => {
    const one = { title: '', checks: [], message_ids: [], rules: [] };
    const cases = [{ ...one, case_id: 'gate-by-scope/holds', verdict: 'not run' as const }];
    expect(unprovenIn({ kind: 'executor' }, cases)).toEqual(['gate-by-scope/holds']);
  });
});

/** A consumer that acknowledges whatever comes, and is never stopped. */
const runWith = async (request: Partial<StartRequest>, receives: readonly string[]) => {
  const consumer = await bus.connect('consumer', { receives });
  const id = await bus.begin({ kind: 'consumer', consumer: consumer.id, ...request });
  return bus.finish(id, {
    async work() {
      const pulled = await consumer.pull({ wait: 0 });
      const messages = pulled.outcome === 'pulled' ? pulled.messages : [];
      for (const { receiptHandle } of messages) await consumer.ack([receiptHandle]);
    },
  });
};

test('with a role, chosen cases prove nothing of the others: the run names them, and does not pass', async () => {
  const report = await runWith({ role: 'graphics', cases: ['texts/emoji'] }, ['telling.*']);
  expect(report).toMatchObject({
    role: 'graphics',
    role_name: 'a graphics system',
    passed: false,
    words: [],
  });
  expect(report.totals).toMatchObject({ passed: 1, failed: 0 });
  expect(report.unproven).toEqual(
    expect.arrayContaining(['messages/telling.ended', 'delivery/crash', 'delivery/burst']),
  );
  // It receives no stories.
  expect(report.unproven).not.toContain('messages/story.context');
  const crash = report.cases.find(({ case_id }) => case_id === 'delivery/crash');
  expect(crash).toMatchObject({
    verdict: 'not run',
    reason: 'It was not chosen for this run.',
  });
});

test('without a role, chosen cases may pass, and nothing is said of the system', async () => {
  const report = await runWith({ cases: ['texts/emoji'] }, ['telling.*']);
  expect(report).toMatchObject({ passed: true, unproven: [], words: [] });
  expect(report.cases).toHaveLength(1);
});

test('a consumer that nobody stops has not proved that it survives a crash', async () => {
  const report = await runWith({ cases: ['delivery/crash', 'texts/emoji'] }, ['system.audit']);
  expect(report).toMatchObject({ passed: false, unproven: ['delivery/crash'], words: [] });
});

test.each([
  ['clerk', 'consumer', 'There is no role clerk. The roles are story-owner, executor,'],
  ['media-store', 'consumer', 'For a media store there are runs of the kind producer:'],
] as const)('the role %s is declined for a run of a %s', async (role, kind, words) => {
  const consumer = await bus.connect('consumer');
  const run = await bus.start({ kind, consumer: consumer.id, role });
  expect(isDeclined(run) && run.reason).toContain(words);
});
