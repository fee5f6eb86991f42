import { isDeepStrictEqual } from 'node:util';
import { messageTypes } from '../contract/message-types.ts';
import { type Basis, checkedLibrary } from '../contract/portal/checks.ts';
import { executorFile, producerFile } from '../generated/check-cases.generated.ts';
import type { JsonObject } from '../platform/json/value.ts';
import type { ConfiguredInstance } from '../skills/registrations.ts';
import { aloneLast, type Case, casesIn, type WrittenCase, type WrittenStep } from './plan.ts';

/** What a story must have gone through, so that a case about it proves something. */
export type Proof = 'a message' | 'a second message' | 'a second snapshot' | 'an ended story';

/** What happens to a message that its producer has to send again. */
export type RetriedFault = 429 | 503 | 'lost';

/** What a producer has to keep to in what it says of tellings, links, arrivals and decisions. */
export type Conduct =
  | 'tellingOrder'
  | 'tellingIds'
  | 'tellingTimes'
  | 'tellingCorrelation'
  | 'exposureTimes'
  | 'transforms'
  | 'withdrawals'
  | 'gates'
  | 'linkCorrelation'
  | 'growingRange'
  | 'arrivalCorrelation'
  | 'auditIds'
  | 'auditActor';

export type ProducerExpectation =
  /**
   * A message of the type was accepted, and none was refused for good. It must be there if it is
   * wanted.
   */
  | { readonly look: 'sent'; readonly messageType: string; readonly isWanted: boolean }
  | { readonly look: 'rules'; readonly rules: readonly string[]; readonly proof: Proof }
  | { readonly look: 'correlation' }
  | { readonly look: 'conduct'; readonly of: Conduct }
  | { readonly look: 'noBlindRepeat' }
  /**
   * The message that met the fault comes again, with the same bytes, after its pause, until it is
   * accepted.
   */
  | { readonly look: 'retry'; readonly met: RetriedFault }
  | { readonly look: 'patience' }
  | { readonly look: 'newToken' }
  /** A secret that no longer works is not tried on and on. */
  | { readonly look: 'newSecret' };

/** What a system publishes because of what it received. */
export interface ReactionExpectation {
  readonly look: 'once' | 'afterCrash' | 'actsFirst' | 'correlation' | 'ownSystem' | 'inTime';
}

/** `checks/producer.yaml` */
export type ProducerFile = Readonly<
  Record<
    'watched' | 'observed' | 'retries',
    Readonly<Record<string, WrittenCase<ProducerExpectation>>>
  >
> & { readonly reactions: Readonly<Record<string, WrittenCase<ReactionExpectation>>> };

/** How long a person has to bring a message about, in seconds. */
const patienceSeconds = 300;

const typeCase = (messageType: string, isWanted: boolean): Case<ProducerExpectation> => ({
  id: `messages/${messageType}`,
  title: `It sends ${messageType}, and the bus accepts it.`,
  needs: [{ kind: 'sends', messageType, isWanted }],
  steps: [
    {
      action: { kind: 'watch' },
      settles: isWanted ? { until: 'reactions', count: 1 } : { until: 'seconds', seconds: 0 },
      ...(isWanted && { limitSeconds: patienceSeconds }),
      expects: { look: 'sent', messageType, isWanted },
    },
  ],
  ...(!isWanted && { ofWholeRun: true }),
  advice: 'Look at the rules by which it was refused: docs/rules says for each what to do.',
});

const producerCases = (
  part: Exclude<keyof ProducerFile, 'reactions'>,
): readonly Case<ProducerExpectation>[] =>
  casesIn(producerFile[part], () => ({ until: 'seconds', seconds: 0 }));

const familyOf = (messageType: string): string => messageType.split('.')[0] ?? messageType;

/** Whether a case is about a family that is wanted, or about any. */
const isWithin = ({ needs }: Case<unknown>, wanted: readonly string[]): boolean => {
  if (wanted.length === 0) return true;
  const known = new Set(wanted.map(familyOf));
  return needs.every(need => need.kind !== 'sends' || known.has(familyOf(need.messageType)));
};

/**
 * What can be judged by what a producer has sent, whenever that was.
 *
 * @param wanted none: all types that SOM 1.0 has a schema for
 */
export const historyPlan = (wanted: readonly string[]): readonly Case<ProducerExpectation>[] => [
  ...(wanted.length > 0 ? wanted : messageTypes).map(type => typeCase(type, wanted.length > 0)),
  ...producerCases('observed').filter(observed => isWithin(observed, wanted)),
];

export const producerPlan = (
  wanted: readonly string[] = [],
): readonly Case<ProducerExpectation>[] => [
  ...(wanted.length > 0 ? [] : producerCases('watched')),
  ...historyPlan(wanted),
  ...producerCases('retries'),
];

/** What a run of a consumer looks for that names its producer as well. */
export const reactionPlan: readonly Case<ReactionExpectation>[] = casesIn(
  producerFile.reactions,
  () => ({ until: 'seconds', seconds: 0 }),
);

/**
 * A warning that an executor has to send. In its texts `{values.x}` stands for a value of the
 * instance and `{story}` for the story_id.
 */
export interface ExpectedWarning {
  readonly slot: string;
  /** `configured`: as the instance says, else `flag`. */
  readonly severity: 'hold' | 'flag' | 'inform' | 'configured';
  readonly link?: string;
  /**
   * Paths that `affected_fields` has to have, where any index stands for `[]`; `some`: not empty;
   * `none`: empty.
   */
  readonly fields: readonly string[] | 'some' | 'none';
  readonly detail: readonly string[];
  /** Texts that `detail` must not have: they would say something else. */
  readonly lacks?: readonly string[];
  /** The path that cannot be read, which `detail` has to say. */
  readonly unreadable?: string;
  readonly element?: { readonly id: string; readonly path: string };
  readonly blocks?: readonly string[];
  /**
   * It changes what was declared before, instead of opening a declaration: its ref may be the same.
   */
  readonly changes?: boolean;
}

/**
 * `actsFirst`: a trigger is acknowledged after its warnings were accepted. `nothingElse`: each
 * warning answers a message that is on the bus.
 */
export type ExecutorConduct = 'actsFirst' | 'nothingElse';

export interface ExecutorExpectation {
  readonly warnings: readonly ExpectedWarning[];
  /** Instead of warnings: what is looked for over the whole run. */
  readonly conduct?: ExecutorConduct;
  /** The trigger came before: silence, or the same bytes again. */
  readonly repeats?: true;
}

interface WrittenExecutorStep extends WrittenStep<never> {
  readonly warnings?: readonly ExpectedWarning[];
}

/** `checks/executor.yaml`; `checks/executor.schema.json` describes the members. */
export interface ExecutorFile {
  readonly snapshot: JsonObject;
  readonly skills: Readonly<
    Record<
      string,
      {
        readonly slots: Readonly<Record<string, Pick<InstanceSlot, 'values' | 'deciding'>>>;
        readonly cases: Readonly<
          Record<
            string,
            Omit<WrittenCase<never>, 'steps'> & {
              /**
               * It is played only in a run that says `binds: first-seen`; what it waits for in
               * others.
               */
              readonly unless_bound?: string;
              readonly steps: readonly WrittenExecutorStep[];
            }
          >
        >;
      }
    >
  >;
  /** What is looked for over the whole run. */
  readonly conduct: Readonly<
    Record<
      string,
      {
        readonly title: string;
        readonly basis: Basis;
        readonly look: ExecutorConduct;
        readonly advice: string;
      }
    >
  >;
  /** The cases that nobody can play yet, by what they wait for. */
  readonly pending: readonly {
    readonly reason: string;
    readonly basis: Basis;
    readonly cases: Readonly<Record<string, string>>;
  }[];
  /** What to do when a check fails. */
  readonly advice: Readonly<Record<string, string>>;
}

export type ExecutorCase = Case<ExecutorExpectation>;

const expecting = (
  { warnings = [], ...step }: WrittenExecutorStep,
  all: readonly WrittenExecutorStep[],
): WrittenStep<ExecutorExpectation> => {
  const isRepeat = step.again !== undefined && !all[step.again - 1]?.withheld;
  return { ...step, expects: { warnings, ...(isRepeat && { repeats: true }) } };
};

const pendingCases: readonly ExecutorCase[] = executorFile.pending.flatMap(
  ({ reason, basis, cases }) =>
    Object.entries(cases).map(([id, title]) => ({
      id,
      title,
      basis,
      pending: reason,
      needs: [],
      steps: [],
    })),
);

/** The group of the cases that are about no skill. */
export const conductGroup = 'conduct';

const conductCases: readonly ExecutorCase[] = Object.entries(executorFile.conduct).map(
  ([name, { look, ...named }]) => ({
    id: `${conductGroup}/${name}`,
    ...named,
    needs: [],
    ofWholeRun: true,
    steps: [
      {
        action: { kind: 'watch' },
        settles: { until: 'seconds', seconds: 0 },
        expects: { warnings: [], conduct: look },
      },
    ],
  }),
);

const skillCases = (bindsFirstSeen: boolean): readonly ExecutorCase[] =>
  Object.entries(executorFile.skills).flatMap(([skill, { cases }]) => [
    ...Object.entries(cases).flatMap(([name, { unless_bound: pending, steps, ...named }]) => {
      const id = `${skill}/${name}`;
      const { title, basis } = named;
      if (pending && !bindsFirstSeen)
        return [{ id, title, ...(basis && { basis }), pending, needs: [], steps: [] }];
      const written = {
        ...named,
        sends: 'skill.warning.raised',
        steps: steps.map(step => expecting(step, steps)),
      };
      return casesIn<ExecutorExpectation>({ [id]: written }, ({ expects }) => ({
        until: 'reactions',
        count: expects?.warnings.length ?? 0,
      }));
    }),
    ...pendingCases.filter(({ id }) => id.startsWith(`${skill}/`)),
  ]);

/**
 * @param bindsFirstSeen an asset's copy of a field is the value that its story had when the asset
 * first appeared
 */
export const executorPlan = (bindsFirstSeen = false): readonly ExecutorCase[] => [
  ...aloneLast(skillCases(bindsFirstSeen)),
  ...conductCases,
];

export interface InstanceSlot {
  readonly id: string;
  /** Without `smart-stories/`. */
  readonly skill: string;
  readonly values: JsonObject;
  /**
   * An instance that is there already fits if it has the same of these. The rest is taken from it.
   */
  readonly deciding: readonly string[];
}

export const slots: readonly InstanceSlot[] = Object.entries(executorFile.skills).flatMap(
  ([skill, written]) =>
    Object.entries(written.slots).map(([id, values]) => ({ id, skill, ...values })),
);

export const slotsOf = ({ needs }: Pick<Case<unknown>, 'needs'>): readonly string[] =>
  needs.flatMap(need => (need.kind === 'instance' ? [need.slot] : []));

export const slotsFor = (cases: readonly Case<unknown>[]): readonly InstanceSlot[] => {
  const ids = new Set(cases.flatMap(slotsOf));
  return slots.filter(({ id }) => ids.has(id));
};

export const skillIdOf = (skill: string): string => `smart-stories/${skill}`;

export const instanceOf = ({ id, skill, values }: InstanceSlot): ConfiguredInstance => ({
  skill_id: skillIdOf(skill),
  skill_version: checkedLibrary,
  instance_label: `test-${id.toLowerCase()}`,
  values,
  authority_scale: ['legal', 'duty-editor', 'desk-editor'],
});

/** `record_permits` is false unless an instance says otherwise. */
const haveSame = (name: string, values: JsonObject, wanted: JsonObject): boolean =>
  isDeepStrictEqual(values[name] ?? false, wanted[name] ?? false);

export const fittingInstance = (
  { skill, values: wanted, deciding }: InstanceSlot,
  instances: readonly ConfiguredInstance[],
): ConfiguredInstance | undefined =>
  instances.find(
    ({ skill_id, skill_version, values }) =>
      skill_id === skillIdOf(skill) &&
      skill_version === checkedLibrary &&
      deciding.every(name => haveSame(name, values, wanted)),
  );
