import { randomUUID } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import type { BusAccount } from './account.ts';
import { type Finding, fail, info, ok } from './doctor.ts';
import {
  type BusAnswer,
  type BusSession,
  claimsOf,
  isOtherKind,
  reasonOf,
  receiptsOf,
  recordsOf,
  rulesOf,
  sessionOf,
} from './session.ts';

/** Whose permissions are looked at. */
export interface Patient extends BusAccount {
  /** A message of the producer's own, to be dry-run in place of the doctor's. */
  readonly message?: Uint8Array;
  /** The workspace that the programs of this shell address. */
  readonly workspace?: string;
}

const probe = (systemId: string, now: number): string =>
  JSON.stringify({
    som_version: '1.0.0',
    message_id: randomUUID(),
    correlation_id: randomUUID(),
    message_type: 'story.context',
    timestamp: new Date(now).toISOString(),
    originating_system: { system_id: systemId, system_type: 'custom' },
    topic: 'som.doctor',
    payload: {
      story_id: `doctor-${randomUUID()}`,
      slug: 'DOCTOR',
      headline: 'A dry run',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: new Date(now).toISOString(),
    },
  });

/** What a check says to a connection of the kind that it is not for. */
const notTried = {
  'dry run': {
    demo: 'not tried: this is a consumer; `sombus doctor --as producer` makes a dry run',
    named: 'not tried: this is a consumer, and a dry run is for producers',
  },
  pull: {
    demo: 'not tried: this is a producer; `sombus doctor --as consumer` checks a pull',
    named: 'not tried: this is a producer, and a pull is for consumers',
  },
} as const;

const otherKind = (check: keyof typeof notTried, { isDemo }: Patient): Finding =>
  info(check, notTried[check][isDemo ? 'demo' : 'named']);

/** Who the doctor sends as where it is not told. */
const ownSystem = 'sombus-doctor';

/** What a refusal of the doctor's own message says of the connection; undefined where it says what is wrong. */
const notAsked = (answer: BusAnswer, { systemId }: Patient): Finding | undefined => {
  const rules = rulesOf(answer);
  if (systemId === undefined && rules.includes('producer.system_id_not_allowed'))
    return info(
      'dry run',
      'not tried: name the system that you send as with --system-id, or a message with --message.',
    );
  if (rules.length === 1 && rules[0] === 'producer.message_type_not_allowed')
    return info(
      'dry run',
      'The connection may not send story.context: try a message that it may with --message FILE.',
    );
  return undefined;
};

const dryRun = (answer: BusAnswer, patient: Patient): Finding => {
  if (isOtherKind(answer)) return otherKind('dry run', patient);
  if (answer.body['accepted'] === true)
    return ok(
      'dry run',
      patient.message
        ? 'your message would be accepted'
        : `story.context as ${patient.systemId ?? ownSystem} would be accepted`,
    );
  return (patient.message ? undefined : notAsked(answer, patient)) ?? fail('dry run', reasonOf(answer));
};

/** Gives back what it took at once, so that nothing is lost or late. */
const pull = async (answer: BusAnswer, session: BusSession, patient: Patient): Promise<Finding> => {
  if (isOtherKind(answer)) return otherKind('pull', patient);
  if (answer.status !== 200) return fail('pull', reasonOf(answer));
  const records = recordsOf(answer);
  if (records.length > 0) await session.call(`consumers/${session.connection}/nack`, receiptsOf(records));
  return ok('pull', records.length > 0 ? 'a message waits (and was given back)' : 'the queue is empty');
};

/** What a connection may do: a dry run and a pull, one of which is not for it. */
const permissions = async (session: BusSession, patient: Patient, now: number) => {
  const message = patient.message ?? probe(patient.systemId ?? ownSystem, now);
  const verdict = await session.call('validate', message);
  const visibility = limits.pullVisibilitySeconds.min;
  const pulled = await session.call(
    `consumers/${session.connection}/messages?max=1&visibility=${visibility}`,
  );
  return isOtherKind(verdict) && isOtherKind(pulled)
    ? [fail('permissions', 'The connection is revoked or paused: ask the operator.')]
    : [dryRun(verdict, patient), await pull(pulled, session, patient)];
};

/** Programs that address another workspace than the token's are refused there, as the examples would be. */
const workspace = ({ workspace }: Patient, tenant: string): readonly Finding[] =>
  workspace === undefined || workspace === tenant
    ? []
    : [
        fail(
          'workspace',
          `SOMBUS_WORKSPACE is ${workspace || 'empty'}, but the connection belongs to ${tenant}: set it to that.`,
        ),
      ];

/** Whose token it is, and what its connection may do. */
export const examineToken = async (
  patient: Patient,
  token: string,
  now: number,
): Promise<readonly Finding[]> => {
  const { iss, sub, tenant } = claimsOf(token);
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof tenant !== 'string')
    return [fail('token', 'The token is none of a bus: it is no JWT with iss, sub and tenant.')];
  const whose = `connection ${sub} in workspace ${tenant}`;
  const name = iss.replace(/\/oauth$/, '');
  const identity =
    name === patient.baseUrl
      ? ok('token', whose)
      : info('token', `${whose}; the bus calls itself ${name}: better use that address.`);
  return [
    identity,
    ...workspace(patient, tenant),
    ...(await permissions(sessionOf(patient, token), patient, now)),
  ];
};
