// The skills that look for a record of something: record-provenance-on-ingest and
// enrich-on-condition.
import {
  type Element,
  elementsOf,
  isUnreadable,
  leadsInto,
  pathFor,
  type Reading,
  readFor,
  readingWith,
  valueInside,
} from './paths.ts';
import { type Finding, finding, type ReadySkill, type Snapshot, shown } from './skill.ts';

const textAt = (element: Element, path: string): string | undefined => {
  const value = valueInside(element, path);
  return typeof value === 'string' ? value : undefined;
};

/** The id of a thing in a story: an asset's, a source's, and so on; else where it stands. */
const idOf = (element: Element): string =>
  ['asset_id', 'source_id', 'gate_id', 'assertion_id', 'flag_id']
    .map(name => textAt(element, name))
    .find(id => id !== undefined) ?? element.path;

/** Whether something was recorded: an object or a list counts as a record, null does not. */
type Recorded = 'yes' | 'no' | 'unreadable';

const recordedBy = (readings: readonly Reading[]): Recorded => {
  if (readings.length === 0) return 'no';
  const isReadable = readings.some(({ kind }) => kind !== 'blocked');
  return isReadable ? 'yes' : 'unreadable';
};

const elementsAbout = (snapshot: Snapshot, list: string, targetId: string): readonly Element[] =>
  elementsOf(snapshot, list).filter(element => textAt(element, 'target.id') === targetId);

const claims = (element: Element, enrichment: string): boolean => {
  const claim = valueInside(element, 'claim');
  return typeof claim === 'object' && claim !== null && Object.values(claim).includes(enrichment);
};

/**
 * record-provenance-on-ingest: one warning per subject that has no record yet. The class of a
 * subject, for its prior credibility, is its source_type or asset_type.
 */
export const recordProvenanceOnIngest: ReadySkill = values => {
  const subjectList = values.text('subject_path');
  const recordPath = values.text('record_path');
  const recordKind = values.text('record_kind');
  const priors = values.textMap('prior_credibility');

  const recordOf = (snapshot: Snapshot, subject: Element): Recorded => {
    if (leadsInto(recordPath, subjectList))
      return recordedBy(readFor(snapshot, subject, recordPath));
    const records = elementsAbout(snapshot, recordPath, idOf(subject));
    return records.length > 0 ? 'yes' : 'no';
  };

  const findingFor = (snapshot: Snapshot, subject: Element): Finding => {
    const id = idOf(subject);
    const recorded = recordOf(snapshot, subject);
    if (recorded === 'yes') return { anchor: id, holds: false };

    const field = pathFor(subject, recordPath);
    const category = textAt(subject, 'source_type') ?? textAt(subject, 'asset_type') ?? '';
    const credibility = priors.get(category) ?? 'UNVERIFIED';
    const problem = recorded === 'no' ? 'is absent' : `could not be read (${recordPath})`;
    const detail =
      `${recordKind} of ${id} ${problem}; its credibility is ${credibility} until there is a ` +
      'record.';
    return finding(snapshot, id, { severity: 'inform', fields: [field], detail });
  };

  return function provenance(snapshot) {
    return elementsOf(snapshot, subjectList).map(subject => findingFor(snapshot, subject));
  };
};

/** Why an enrichment is wanted, and the field that says so. */
interface Reason {
  readonly field: string;
  readonly why: string;
}

/**
 * enrich-on-condition: one warning per asset whose condition holds, or cannot be read, and that has
 * no record of the enrichment. A record in a list of the story is an element whose target is the
 * asset and whose claim names the enrichment.
 */
export const enrichOnCondition: ReadySkill = values => {
  const conditionPath = values.text('condition_path');
  const conditionValue = values.scalar('condition_value');
  const enrichment = values.text('enrichment');
  const recordPath = values.text('enrichment_record_path');
  const authority = values.text('clearing_authority');
  const explanation = values.optionalText('reason_template');
  const positions = values.optionalTexts('applies_to_position');

  const isRecorded = (snapshot: Snapshot, asset: Element): boolean => {
    if (leadsInto(recordPath, asset.list))
      return recordedBy(readFor(snapshot, asset, recordPath)) === 'yes';
    const records = elementsAbout(snapshot, recordPath, idOf(asset));
    return records.some(record => claims(record, enrichment));
  };

  /** Undefined: the condition does not hold. */
  const reasonFor = (snapshot: Snapshot, asset: Element): Reason | undefined => {
    const readings = readFor(snapshot, asset, conditionPath);
    const match = readingWith(readings, conditionValue);
    if (match) return { field: match.path, why: `${conditionPath} is ${shown(match.value)}` };

    const obstacle = readings.find(isUnreadable);
    if (!obstacle && readings.length > 0) return undefined;
    const field = obstacle?.path ?? pathFor(asset, conditionPath);
    return { field, why: `${conditionPath} could not be read` };
  };

  const findingFor = (snapshot: Snapshot, asset: Element): Finding => {
    const id = idOf(asset);
    const reason = isRecorded(snapshot, asset) ? undefined : reasonFor(snapshot, asset);
    if (!reason) return { anchor: id, holds: false };

    const wanted = `${enrichment} is wanted for ${id}: ${reason.why}`;
    const ending = explanation === undefined ? '' : ` ${explanation}`;
    const detail = `${wanted}; ${authority} or above clears it.${ending}`;
    return finding(snapshot, id, { severity: 'inform', fields: [reason.field], detail });
  };

  const isInPosition = (asset: Element): boolean =>
    positions?.includes(textAt(asset, 'evidential_position') ?? '') ?? true;

  return function enrich(snapshot) {
    return elementsOf(snapshot, 'assets[]')
      .filter(isInPosition)
      .map(asset => findingFor(snapshot, asset));
  };
};
