import type { Payloads, SkillRegistration } from '../client/index.ts';

export const libraryVersion = '0.2.2';

export type Snapshot = Payloads['story.context'];
export type Warning = Payloads['skill.warning.raised'];

export interface Instance {
  readonly skillId: string;
  readonly skillVersion: string;
  readonly label: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export const instancesIn = (registrations: readonly SkillRegistration[]): readonly Instance[] =>
  registrations
    .filter(({ paused }) => !paused)
    .map(({ skillId, skillVersion, instanceLabel, values }) => ({
      skillId,
      skillVersion,
      label: instanceLabel,
      values,
    }));

export type Scalar = string | number | boolean;

export const isScalar = (value: unknown): value is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** What an item held when it was first seen. Empty: nothing. */
export type Copy = readonly Scalar[] | 'unreadable';

/**
 * What a skill says about one thing in a story. A thing that it has nothing to say about has no
 * finding: what was said of it stands.
 */
export type Finding = { readonly anchor: string; readonly holds: false } | HoldingFinding;

/** Something that a warning says. */
export interface HoldingFinding {
  readonly anchor: string;
  readonly holds: true;
  readonly scope: string;
  readonly severity: Warning['severity'];
  readonly fields: readonly string[];
  readonly detail: string;
  /** What is withheld; empty unless the severity is `hold`. */
  readonly blocks: readonly string[];
}

/**
 * Evaluates a snapshot. Pure.
 *
 * @param firstSeen the copy that an item was first seen with: `now` if this is the first time
 */
type Evaluate = (
  snapshot: Snapshot,
  firstSeen: (item: string, now: Copy) => Copy,
) => readonly Finding[];

export class UnusableInstance extends Error {
  override readonly name = 'UnusableInstance';
}

const textsIn = (members: object): ReadonlyMap<string, string> =>
  new Map(Object.entries(Object(members)).map(([key, value]) => [key, String(value)]));

/** The values of an instance, as a skill wants them. Its methods throw `UnusableInstance`. */
export class Values {
  readonly #instance: Instance;

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  #required<T>(name: string, value: T | undefined, kind: string): T {
    if (value !== undefined) return value;
    const { label, skillId } = this.#instance;
    throw new UnusableInstance(
      `The instance ${label} of ${skillId} is left out: its ${name} is not ${kind}.`,
    );
  }

  optionalText(name: string): string | undefined {
    const value = this.#instance.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  text(name: string): string {
    return this.#required(name, this.optionalText(name), 'a text');
  }

  scalar(name: string): Scalar {
    const value = this.#instance.values[name];
    return this.#required(
      name,
      isScalar(value) ? value : undefined,
      'a text, a number or a boolean',
    );
  }

  optionalNumber(name: string): number | undefined {
    const value = this.#instance.values[name];
    return typeof value === 'number' ? value : undefined;
  }

  number(name: string): number {
    return this.#required(name, this.optionalNumber(name), 'a number');
  }

  flag(name: string): boolean {
    return this.#instance.values[name] === true;
  }

  optionalTexts(name: string): readonly string[] | undefined {
    const value = this.#instance.values[name];
    if (Array.isArray(value)) return value.map(String);
    return undefined;
  }

  textMap(name: string): ReadonlyMap<string, string> {
    const value = this.#instance.values[name] ?? {};
    const isMap = typeof value === 'object' && !Array.isArray(value);
    return textsIn(this.#required(name, isMap ? value : undefined, 'a map'));
  }

  rows(name: string): readonly ReadonlyMap<string, string>[] {
    const value = this.#instance.values[name];
    const rows = this.#required(name, Array.isArray(value) ? value : undefined, 'a list of rows');
    return rows.map(textsIn);
  }
}

/** A skill of the library, made ready with the values of an instance. @throws UnusableInstance */
export type ReadySkill = (values: Values) => Evaluate;

const storyScope = ({ story_id }: Snapshot): string => `story:${story_id}`;

/** A finding about the whole story, which withholds nothing. */
export const finding = (
  snapshot: Snapshot,
  anchor: string,
  content: Pick<HoldingFinding, 'severity' | 'fields' | 'detail'>,
): Finding => ({ anchor, holds: true, scope: storyScope(snapshot), ...content, blocks: [] });

export const linkScope = (linkId: string): string => `link:${linkId}`;

/** A value in a text for people: numbers in decimal notation. */
export const shown = (value: unknown): string => {
  if (typeof value === 'number')
    return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
  return String(value);
};

export const linksOf = ({ assets = [] }: Snapshot) => assets.flatMap(({ usage = [] }) => usage);

/** The scopes of a skill that speaks about the whole story, or about each of its links. */
export const scopesOf = (snapshot: Snapshot, isPerLink: boolean): readonly string[] => {
  if (isPerLink) return linksOf(snapshot).map(({ link_id }) => linkScope(link_id));
  return [storyScope(snapshot)];
};
