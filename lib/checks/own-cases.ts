import { type Declined, declined } from '../access/registry/declined.ts';
import {
  correlationOfRun,
  identifierBytes,
  storyOfCase,
  testRunId,
  testSystem,
} from '../contract/identifiers.ts';
import { limits } from '../contract/limits.ts';
import { consumerFile } from '../generated/check-cases.generated.ts';
import { ownCasesForm } from '../generated/own-cases.generated.js';
import { textAsWritten } from '../platform/json/as-written.ts';
import { isJsonObject } from '../platform/json/value.ts';
import { readMessage } from '../som/messages/read-message.ts';
import { type ConsumerCase, mostMessages, type OwnCases, ownPlan } from './consumer-plan.ts';
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

/** The messages of a step, or of the one that it delivers again. */
const fixturesOf = (
  steps: readonly Step<unknown>[],
  { action }: Step<unknown>,
): readonly Fixture[] => {
  const earlier = action.kind === 'again' ? steps[action.step] : undefined;
  if (earlier !== undefined) return fixturesOf(steps, earlier);
  return action.kind === 'play' ? action.fixtures : [];
};

/** Stands for a run: its names are as long as those of any other. */
const someRun = testRunId(new Uint8Array(identifierBytes));

/** A message as a run would play it, at a time that does not matter. */
const bodyOf = (caseId: string, fixture: Fixture, at: number): Uint8Array =>
  fixtureBody(fixture, {
    storyId: storyOfCase(someRun, caseId),
    correlationId: correlationOfRun(someRun, 1),
    messageId: derivedUuid(someRun, `${at}`),
    startedAt: 0,
    now: 0,
    sequenceNumber: at + 1,
    systemId: testSystem,
  });

/** What the bus would say against a message; undefined if it would accept it. */
const refusalOf = (body: Uint8Array): string | undefined => {
  const read = readMessage(body);
  if (read.ok) return undefined;
  const [{ rule, path, message }] = read.violations;
  const where = path === undefined ? '' : ` at ${path}`;
  return `the bus would refuse its message by ${rule}${where}: ${message}`;
};

/** All messages of a plan, one after the other, and where each of them is played. */
function* messagesIn(plan: readonly Case<unknown>[]) {
  for (const { id, steps } of plan)
    for (const [at, step] of steps.entries())
      for (const [number, fixture] of fixturesOf(steps, step).entries())
        yield { where: `${id}, step ${at + 1}`, body: bodyOf(id, fixture, number) };
}

const messageProblem = (cases: OwnCases): string | undefined => {
  const count = Object.values(cases).reduce((sum, own) => sum + mostMessages(own), 0);
  if (count > ownMessages) return `The cases play ${count} messages: a run takes ${ownMessages}.`;
  let bytes = 0;
  for (const { where, body } of messagesIn(ownPlan(cases))) {
    bytes += body.byteLength;
    if (bytes > ownMessageBytes)
      return `The cases play more than ${ownMessageBytes} bytes, which is what a run takes.`;
    const refusal = refusalOf(body);
    if (refusal !== undefined) return `${where}: ${refusal}`;
  }
  return undefined;
};

/**
 * A house's own cases, as a file or a request has them (`checks/own-cases.schema.json`), or what is
 * wrong with them: their form, their size, or a message that the bus would refuse.
 *
 * @param value with its numbers as `platform/json/as-written` keeps them
 */
export const readOwnCases = (value: unknown): OwnCases | Declined => {
  const size = Buffer.byteLength(textAsWritten(value) ?? '');
  if (size > ownCaseBytes)
    return declined(`The cases have ${size} bytes as JSON: a run takes ${ownCaseBytes}.`);
  const problem = formProblem(value);
  if (problem !== undefined) return declined(problem);
  const cases = (isJsonObject(value) ? value['cases'] : {}) as OwnCases; // by its schema
  const wrong = Object.entries(cases)
    .map(caseProblem)
    .find(words => words !== undefined);
  if (wrong !== undefined) return declined(wrong);
  const problemOfMessages = messageProblem(cases);
  return problemOfMessages === undefined ? cases : declined(problemOfMessages);
};
