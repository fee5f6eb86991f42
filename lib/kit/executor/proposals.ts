// The skills that pass on what somebody found out: match-and-propose, surface-on-context-match and
// apply-clearance.
import { type Element, elementsOf, isUnreadable, read, readFor, valueInside } from './paths.ts';
import { type Finding, finding, type ReadySkill, type Snapshot, scopesOf, shown } from './skill.ts';

const textOf = (element: Element, name: string): string => String(valueInside(element, name));

/** A pending match, and the score by which it is judged. */
interface Candidate {
  readonly match: Element;
  readonly scorePath: string;
  /** Absent: it could not be read. */
  readonly score?: number;
}

/** Those whose score could not be read come first: they are not lost behind others. */
const byScore = (left: Candidate, right: Candidate): number =>
  (right.score ?? Number.POSITIVE_INFINITY) - (left.score ?? Number.POSITIVE_INFINITY);

const isMatchFor = (assertion: Element, storyId: string): boolean =>
  valueInside(assertion, 'assertion_type') === 'MATCH' &&
  valueInside(assertion, 'claim.story_id') === storyId;

const isPending = (match: Element): boolean => valueInside(match, 'review.state') === 'PENDING';

/**
 * match-and-propose: one warning per pending MATCH of the story at the threshold, while the story
 * is in the phase.
 */
export const matchAndPropose: ReadySkill = values => {
  const threshold = values.number('confidence_threshold');
  const confidencePath = values.text('confidence_path');
  const phase = values.text('active_story_state');
  const maxCandidates = values.optionalNumber('max_candidates') ?? 1;

  const candidatesIn = (snapshot: Snapshot, matches: readonly Element[]): readonly Candidate[] =>
    matches.filter(isPending).flatMap(match => {
      const [reading] = readFor(snapshot, match, confidencePath);
      if (!reading) return [];
      const { path: scorePath, value: score } = reading;
      if (typeof score !== 'number') return [{ match, scorePath }];
      return score >= threshold ? [{ match, scorePath, score }] : [];
    });

  const findingFor = (snapshot: Snapshot, { match, scorePath, score }: Candidate): Finding => {
    const id = textOf(match, 'assertion_id');
    const target = textOf(match, 'target.id');
    const unread = `its score could not be read (${confidencePath})`;
    const scoreText = score === undefined ? unread : `score ${shown(score)}`;
    const detail =
      `${id} proposes ${target} for ${snapshot.story_id}: ${scoreText}, threshold ` +
      `${shown(threshold)}.`;
    return finding(snapshot, id, { severity: 'inform', fields: [scorePath], detail });
  };

  return function match(snapshot) {
    const assertions = elementsOf(snapshot, 'assertions[]');
    const matches = assertions.filter(assertion => isMatchFor(assertion, snapshot.story_id));
    const isInPhase = snapshot.lifecycle?.phase === phase;
    const candidates = isInPhase ? candidatesIn(snapshot, matches) : [];
    const proposed = candidates.toSorted(byScore).slice(0, maxCandidates);

    const others = matches.filter(other => !proposed.some(({ match }) => match === other));
    const released = others.map((other): Finding => {
      return { anchor: textOf(other, 'assertion_id'), holds: false };
    });
    return [...proposed.map(candidate => findingFor(snapshot, candidate)), ...released];
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
  const versionsPath = values.text('version_set_field');
  const current = values.text('current_status');
  const superseded = values.text('superseded_status');
  const isPerLink = values.text('scope') === 'link';

  /** SOM 1.0 has no field for the version that was cleared: of several, none is called current. */
  const versionsIn = (snapshot: Snapshot): string => {
    const readings = read(snapshot, versionsPath);
    if (readings.length === 0 || readings.some(isUnreadable))
      return `${versionsPath} could not be read, so no version is called ${current} or ${superseded}`;

    const versions = readings.map(({ value }) => shown(value)).join(', ');
    return `${versionsPath} is ${versions}; the clearance does not say which version is ${current}`;
  };

  return function clearance(snapshot) {
    const scopes = scopesOf(snapshot, isPerLink);

    const findingFor = (entry: Element, scope: string): Finding => {
      const id = textOf(entry, 'flag_id');
      const anchor = JSON.stringify([id, scope]);
      if (valueInside(entry, 'status') !== 'RESOLVED') return { anchor, holds: false };

      const fields = [`${entry.path}.status`, versionsPath];
      const detail = `${type} ${id} is RESOLVED; ${versionsIn(snapshot)}.`;
      return { anchor, holds: true, scope, severity: 'inform', fields, detail, blocks: [] };
    };

    return elementsOf(snapshot, 'compliance[]')
      .filter(entry => valueInside(entry, 'type') === type)
      .flatMap(entry => scopes.map(scope => findingFor(entry, scope)));
  };
};
