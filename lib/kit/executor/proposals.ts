// The skills that pass on what somebody found out: match-and-propose, surface-on-context-match and
// apply-clearance.
import { type Element, elementsOf, read, readFor, valueInside } from './paths.ts';
import { type Finding, finding, type ReadySkill, type Snapshot, scopesOf, shown } from './skill.ts';

const textOf = (element: Element, name: string): string => String(valueInside(element, name));

/** A candidate with the score by which it is judged; undefined: the score could not be read. */
interface Candidate {
  readonly element: Element;
  readonly path: string;
  readonly score?: number;
}

/** Those whose score could not be read come first: they are not lost behind others. */
const byScore = (one: Candidate, other: Candidate): number =>
  (other.score ?? Number.POSITIVE_INFINITY) - (one.score ?? Number.POSITIVE_INFINITY);

/**
 * match-and-propose: one warning per pending MATCH of the story at the threshold, while the story
 * is in the phase.
 */
export const matchAndPropose: ReadySkill = values => {
  const threshold = values.number('confidence_threshold');
  const path = values.text('confidence_path');
  const phase = values.text('active_story_state');
  const max = values.optionalNumber('max_candidates') ?? 1;

  const isPending = (element: Element): boolean =>
    valueInside(element, 'review.state') === 'PENDING';

  const candidatesIn = (snapshot: Snapshot, matches: readonly Element[]): readonly Candidate[] =>
    matches.filter(isPending).flatMap(element => {
      const [reading] = readFor(snapshot, element, path);
      if (!reading) return [];
      const { path: field, value: score } = reading;
      if (typeof score !== 'number') return [{ element, path: field }];
      return score >= threshold ? [{ element, path: field, score }] : [];
    });

  const findingFor = (snapshot: Snapshot, { element, path: field, score }: Candidate): Finding => {
    const id = textOf(element, 'assertion_id');
    const target = textOf(element, 'target.id');
    const unread = `its score could not be read (${path})`;
    const said = score === undefined ? unread : `score ${shown(score)}`;
    const detail =
      `${id} proposes ${target} for ${snapshot.story_id}: ${said}, threshold ` +
      `${shown(threshold)}.`;
    return finding(snapshot, id, { severity: 'inform', fields: [field], detail });
  };

  return function match(snapshot) {
    const matches = elementsOf(snapshot, 'assertions[]').filter(
      element =>
        valueInside(element, 'assertion_type') === 'MATCH' &&
        valueInside(element, 'claim.story_id') === snapshot.story_id,
    );
    const isInPhase = snapshot.lifecycle?.phase === phase;
    const candidates = isInPhase ? candidatesIn(snapshot, matches) : [];
    const proposed = candidates.toSorted(byScore).slice(0, max);
    const others = matches.filter(element => !proposed.some(one => one.element === element));
    const released = others.map((element): Finding => {
      return { anchor: textOf(element, 'assertion_id'), holds: false };
    });
    return [...proposed.map(one => findingFor(snapshot, one)), ...released];
  };
};

/**
 * surface-on-context-match: looks at items outside the story, for which SOM 1.0 has no message; a
 * story alone says nothing.
 */
export const surfaceOnContextMatch: ReadySkill = () =>
  function surface() {
    return [];
  };

/**
 * apply-clearance: one warning per resolved compliance entry of the type, with the versions that it
 * is for.
 */
export const applyClearance: ReadySkill = values => {
  const type = values.text('clearance_type');
  const path = values.text('version_set_field');
  const current = values.text('current_status');
  const superseded = values.text('superseded_status');
  const isPerLink = values.text('scope') === 'link';

  /** SOM 1.0 has no field for the version that was cleared: of several, none is called current. */
  const versionsIn = (snapshot: Snapshot): string => {
    const readings = read(snapshot, path);
    const scalars = readings.filter(({ kind }) => kind === 'scalar');
    if (readings.length === 0 || scalars.length < readings.length)
      return `${path} could not be read, so no version is called ${current} or ${superseded}`;
    const versions = scalars.map(({ value }) => shown(value)).join(', ');
    return `${path} is ${versions}; the clearance does not say which version is ${current}`;
  };

  return function clearance(snapshot) {
    const scopes = scopesOf(snapshot, isPerLink);
    const findingFor = (entry: Element, scope: string): Finding => {
      const id = textOf(entry, 'flag_id');
      const anchor = JSON.stringify([id, scope]);
      if (valueInside(entry, 'status') !== 'RESOLVED') return { anchor, holds: false };
      const detail = `${type} ${id} is RESOLVED; ${versionsIn(snapshot)}.`;
      const fields = [`${entry.at}.status`, path];
      return { anchor, holds: true, scope, severity: 'inform', fields, detail, blocks: [] };
    };
    return elementsOf(snapshot, 'compliance[]')
      .filter(entry => valueInside(entry, 'type') === type)
      .flatMap(entry => scopes.map(scope => findingFor(entry, scope)));
  };
};
