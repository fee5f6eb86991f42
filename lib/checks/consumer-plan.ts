import { families } from '../contract/message-types.ts';
import { consumerFile } from '../generated/check-cases.generated.ts';
import type { JsonObject } from '../platform/json/value.ts';
import { type Fixture, fixtureOf, type WrittenFixture, withAt } from './fixture.ts';
import {
  aloneLast,
  type Case,
  casesIn,
  type Step,
  type WrittenCase,
  type WrittenStep,
} from './plan.ts';

export type ConsumerExpectation =
  /** Each message of the step is acknowledged, before the bus would deliver it again. */
  | { readonly look: 'acknowledged' }
  | { readonly look: 'nothing' }
  /** The message comes within so many seconds. */
  | { readonly look: 'received'; readonly withinSeconds: number }
  /**
   * The messages of the step are acknowledged in their order; `afterNack`: although one of them was
   * returned.
   */
  | { readonly look: 'order'; readonly afterNack?: true }
  /** A message that was received and not acknowledged was acknowledged when it came again. */
  | { readonly look: 'redelivered' }
  /** Whatever was received in the run was acknowledged before it became visible again. */
  | { readonly look: 'inTime' }
  /** Whatever was played in the run was acknowledged. */
  | { readonly look: 'nothingLeft' };

/** A message type, as cases play it to those that receive it. */
interface PlayedType {
  /** Of a `story.context`: what is put on top of the snapshot. */
  readonly payload: JsonObject;
  /** Where the payload takes any text: a member, or one inside it. */
  readonly text: readonly string[];
  /** `bytes` make its text longer; absent: an extension of the envelope. */
  readonly longText?: true;
  /** What a later SOM 1.x might add to it, put on top of the payload. */
  readonly members: JsonObject;
  /** Values that a later SOM 1.x might add; absent: SOM 1.0 lists none for this type. */
  readonly values?: JsonObject;
  /** A message type that a later SOM 1.x might add to its family. */
  readonly sibling: string;
}

/** What a step plays: a message, a `burst` of so many, or one and then a burst. */
interface ConsumerPlay extends Pick<WrittenFixture, 'envelope' | 'bytes' | 'escaped'> {
  readonly text?: string;
  /** Members that differ from the payload of the type. */
  readonly payload?: JsonObject;
  readonly burst?: number;
  readonly later?: 'members' | 'values' | 'sibling';
}

interface ConsumerStep extends Omit<WrittenStep<ConsumerExpectation>, keyof WrittenFixture> {
  readonly plays?: ConsumerPlay;
}

export interface ConsumerCase extends Omit<WrittenCase<ConsumerExpectation>, 'steps'> {
  /** It is about this type only. */
  readonly type?: string;
  /**
   * `type`: a case for each type. `family`: one for each family of which the consumer receives a
   * type. Without it and without `type`, it is played once, with the first type that the consumer
   * receives.
   */
  readonly each?: 'type' | 'family';
  readonly steps: readonly ConsumerStep[];
}

/** Whether a case is one of a house's own. */
export const isOwnCase = (id: string): boolean => id.startsWith('house/');

/** A house's own cases, by their ids: `house/…`. */
export type OwnCases = Readonly<Record<string, ConsumerCase>>;

/** `checks/consumer.yaml` */
export interface ConsumerFile {
  readonly types: Readonly<Record<string, PlayedType>>;
  readonly cases: Readonly<Record<string, ConsumerCase>>;
}

const { types } = consumerFile;
const typeNames = Object.keys(types);

/** The types that cases play to consumers: those of SOM 1.0, and some that a later 1.x might add. */
export const typesPlayed: readonly string[] = [
  ...typeNames,
  ...Object.values(types).map(({ sibling }) => sibling),
];

const siblingOf = (type: string): string => types[type]?.sibling ?? type;

const fixtureFor = (
  type: string,
  { text, payload: differences, later, ...form }: ConsumerPlay,
): readonly Fixture[] => {
  const playedType = types[type];
  if (!playedType) return [];
  if (later === 'sibling') {
    const payload = { note: 'A type of a later SOM.' };
    return [fixtureOf({ ...form, message: { type: playedType.sibling, payload } })];
  }

  const members = { ...playedType.payload, ...(later && playedType[later]), ...differences };
  const payload = text === undefined ? members : withAt(members, playedType.text, text);
  const content = type === 'story.context' ? { story: payload } : { message: { type, payload } };
  const fixture = fixtureOf({ ...form, ...content });
  return [{ ...fixture, ...(playedType.longText && { longText: playedType.text }) }];
};

/** The messages of a step that is played with this type. */
const fixturesOf = (type: string, { burst = 0, ...first }: ConsumerPlay): readonly Fixture[] => {
  const others = Array.from({ length: burst }, (_, index) => ({
    text: `Message ${index + 1} of ${burst}`,
  }));
  const plays = Object.keys(first).length > 0 ? [first, ...others] : others;
  return plays.flatMap(play => fixtureFor(type, play));
};

/** Of several types of one family, the first. */
const firstOfEachFamily = (received: readonly string[]): readonly string[] => {
  const familyNames = received.map(type => families.get(type));
  return received.filter((_, index) => familyNames.indexOf(familyNames[index]) === index);
};

/** The types that a case is played with, for a consumer that receives some. */
const typesOf = (
  { type, each, steps }: ConsumerCase,
  receives: ReadonlySet<string>,
): readonly string[] => {
  if (type !== undefined) return [type];
  if (each === 'type') return typeNames;

  const [later] = steps.flatMap(({ plays }) => plays?.later ?? []);
  const fitting = typeNames.filter(name => later === undefined || types[name]?.[later]);
  const received = fitting.filter(name =>
    receives.has(later === 'sibling' ? siblingOf(name) : name),
  );
  // Without any, the case is there all the same, and says that it does not apply.
  if (received.length === 0) return fitting.slice(0, 1);
  return each === 'family' ? firstOfEachFamily(received) : received.slice(0, 1);
};

/** How many messages a step plays with a type. */
const countIn = (steps: readonly ConsumerStep[], { again, plays = {} }: ConsumerStep): number => {
  const earlier = again === undefined ? undefined : steps[again - 1];
  if (earlier !== undefined) return countIn(steps, earlier);
  const { burst = 0, ...first } = plays;
  return Object.keys(first).length > 0 ? burst + 1 : burst;
};

/** How many messages a case plays at most, to whichever consumer: none of them is made for it. */
export const mostMessages = (consumerCase: ConsumerCase): number => {
  const { steps } = consumerCase;
  const countPerType = steps.reduce((sum, step) => sum + countIn(steps, step), 0);
  return countPerType * typesOf(consumerCase, new Set(typesPlayed)).length;
};

const playedWith = (
  { type: _, each: __, title, steps, ...rest }: ConsumerCase,
  type: string,
): WrittenCase<ConsumerExpectation> => ({
  ...rest,
  title: title.replace('{type}', type),
  steps: steps.map(({ plays = {}, ...step }) => ({ ...step, fixtures: fixturesOf(type, plays) })),
});

const writtenFor = (
  id: string,
  consumerCase: ConsumerCase,
  receives: ReadonlySet<string>,
): readonly (readonly [id: string, WrittenCase<ConsumerExpectation>])[] =>
  typesOf(consumerCase, receives).map((type, index) => {
    const isTypeInId = consumerCase.each === 'type' || index > 0;
    return [isTypeInId ? `${id}/${type}` : id, playedWith(consumerCase, type)];
  });

/** What is played has to be acknowledged, unless the file says something else. */
const withExpectation = (step: Step<ConsumerExpectation>): Step<ConsumerExpectation> =>
  step.action.kind === 'watch' ? step : { expects: { look: 'acknowledged' }, ...step };

const planOf = (
  cases: OwnCases,
  receives: readonly string[],
): readonly Case<ConsumerExpectation>[] => {
  const received = new Set(receives);
  const written = Object.entries(cases).flatMap(([id, consumerCase]) =>
    writtenFor(id, consumerCase, received),
  );
  const plan = casesIn(Object.fromEntries(written), ({ expects }) => ({
    until: 'acknowledged',
    ...(expects?.look === 'redelivered' && { whenVisible: true }),
  }));
  return plan.map(planned => ({ ...planned, steps: planned.steps.map(withExpectation) }));
};

/** For a consumer that receives all types that are played. */
export const ownPlan = (cases: OwnCases): readonly Case<ConsumerExpectation>[] =>
  planOf(cases, typesPlayed);

/**
 * @param receives the types that the consumer receives of those that are played
 * @param own cases of a house: what is played alone comes after all others
 */
export const consumerPlan = (
  receives: readonly string[] = typesPlayed,
  own: OwnCases = {},
): readonly Case<ConsumerExpectation>[] =>
  aloneLast(planOf({ ...consumerFile.cases, ...own }, receives));
