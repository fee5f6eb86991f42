import { type Declined, declined } from '../access/registry/operator.ts';
import { correlationOfRun } from '../contract/identifiers.ts';
import { limits } from '../contract/limits.ts';
import { consumerFile } from '../generated/check-cases.generated.ts';
import { ownCasesForm } from '../generated/own-cases.generated.js';
import { isJsonObject } from '../platform/json/value.ts';
import { readMessage } from '../som/messages/read-message.ts';
import {
  type ConsumerCase,
  type ConsumerExpectation,
  type OwnCases,
  ownPlan,
} from './consumer-plan.ts';
import { derivedUuid, type Fixture, fixtureBody } from './fixture.ts';
import type { Case, Step } from './plan.ts';

const { ownCaseBytes, ownSteps, ownMessages, ownMessageBytes } = limits.checks;

const formProblem = (value: unknown): string | undefined => {
  if (ownCasesForm(value)) return undefined;
  const [error] = ownCasesForm.errors ?? [];
  const place = error?.instancePath ?? '';
  return `At ${place === '' ? 'the top' : place} the file has another form: ${error?.message ?? ''}.`;
};

const stepProblem = ({ again, expects }: ConsumerCase['steps'][number], at: number) => {
  if (again !== undefined && again > at)
    return 'it delivers a step again that does not come before it; steps are counted from 1';
  if (expects?.look === 'received' && expects.withinSeconds === undefined)
    return '`received` wants `withinSeconds`';
  return undefined;
};

const caseProblem = ([id, { type, steps }]: readonly [string, ConsumerCase]) => {
  if (type !== undefined && !Object.hasOwn(consumerFile.types, type))
    return `${id}: no case can be played with the type ${type}.`;
  const isChanging = steps.some(({ plays }) => plays?.payload !== undefined);
  if (type === undefined && isChanging)
    return `${id} changes the payload of a message: name the \`type\` that it is about.`;
  if (steps.length > ownSteps) return `${id} has more than ${ownSteps} steps.`;
  const problems = steps.flatMap((step, at) => {
    const words = stepProblem(step, at);
    return words === undefined ? [] : [`${id}, step ${at + 1}: ${words}.`];
  });
  return problems[0];
};

const fixturesOf = (steps: readonly Step<unknown>[], { action }: Step<unknown>) => {
  const played = action.kind === 'again' ? steps[action.step]?.action : action;
  return played?.kind === 'play' ? played.fixtures : [];
};

/** A message as a run would play it, at a time that does not matter. */
const bodyOf = (fixture: Fixture, at: number): Uint8Array =>
  fixtureBody(fixture, {
    storyId: 'house',
    correlationId: correlationOfRun('house', 1),
    messageId: derivedUuid('house', `${at}`),
    startedAt: 0,
    now: 0,
    sequenceNumber: at + 1,
    systemId: 'house',
  });

/** What the bus would say against a message of a case. */
const refusalIn = ({ id, steps }: Case<ConsumerExpectation>): string | undefined => {
  const refused = steps.flatMap((step, at) =>
    fixturesOf(steps, step).flatMap((fixture, number) => {
      const read = readMessage(bodyOf(fixture, number));
      if (read.ok) return [];
      const [{ rule, path, message }] = read.violations;
      const where = path === undefined ? '' : ` at ${path}`;
      return [
        `${id}, step ${at + 1}: the bus would refuse its message by ${rule}${where}: ${message}`,
      ];
    }),
  );
  return refused[0];
};

const sizeProblem = (plan: readonly Case<ConsumerExpectation>[]): string | undefined => {
  const fixtures = plan.flatMap(({ steps }) => steps.flatMap(step => fixturesOf(steps, step)));
  if (fixtures.length > ownMessages)
    return `The cases play ${fixtures.length} messages: a run takes ${ownMessages}.`;
  const sizeOf = ({ bytes = 0, payload }: Fixture) =>
    Math.max(bytes, Buffer.byteLength(JSON.stringify(payload)));
  const bytes = fixtures.reduce((sum, one) => sum + sizeOf(one), 0);
  if (bytes > ownMessageBytes)
    return `The cases play ${bytes} bytes: a run takes ${ownMessageBytes}.`;
  return undefined;
};

/**
 * A house's own cases, as a file or a request has them (`checks/own-cases.schema.json`), or what is
 * wrong with them: their form, their size, or a message that the bus would refuse.
 */
export const readOwnCases = (value: unknown): OwnCases | Declined => {
  const size = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (size > ownCaseBytes)
    return declined(`The cases have ${size} bytes as JSON: a run takes ${ownCaseBytes}.`);
  const problem = formProblem(value);
  if (problem !== undefined) return declined(problem);
  const cases = (isJsonObject(value) ? value['cases'] : {}) as OwnCases; // by its schema
  const wrong = Object.entries(cases)
    .map(caseProblem)
    .find(words => words !== undefined);
  if (wrong !== undefined) return declined(wrong);
  const plan = ownPlan(cases);
  const tooMuch = sizeProblem(plan);
  if (tooMuch !== undefined) return declined(tooMuch);
  const refused = plan.map(refusalIn).find(words => words !== undefined);
  return refused === undefined ? cases : declined(refused);
};
