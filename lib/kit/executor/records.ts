// The skills that look for a record of something: record-provenance-on-ingest and
// enrich-on-condition.
import {
  type Element,
  elementsOf,
  leadsInto,
  pathFor,
  type Reading,
  read,
  readFor,
  valueInside,
} from './paths.ts';
import { type Finding, finding, type ReadySkill, type Snapshot, shown } from './skill.ts';

const textAt = (element: Element, name: string): string | undefined => {
  const value = valueInside(element, name);
  return typeof value === 'string' ? value : undefined;
};

/** The id of a thing in a story: an asset's, a source's, and so on; else where it stands. */
const idOf = (element: Element): string =>
  ['asset_id', 'source_id', 'gate_id', 'assertion_id', 'flag_id']
    .map(name => textAt(element, name))
    .find(id => id !== undefined) ?? element.at;

/** Whether something was recorded: an object or a list counts as a record, null does not. */
type Recorded = 'yes' | 'no' | 'unreadable';

const recordedBy = (readings: readonly Reading[]): Recorded => {
  if (readings.some(({ kind }) => kind !== 'blocked')) return 'yes';
  return readings.length === 0 ? 'no' : 'unreadable';
};

const about = (snapshot: Snapshot, list: string, id: string): readonly Element[] =>
  elementsOf(snapshot, list).filter(element => textAt(element, 'target.id') === id);

const claims = (element: Element, name: string): boolean => {
  const claim = valueInside(element, 'claim');
  return typeof claim === 'object' && claim !== null && Object.values(claim).includes(name);
};

/**
 * record-provenance-on-ingest: one warning per subject that has no record yet. The class of a
 * subject, for its prior credibility, is its source_type or asset_type.
 */
export const recordProvenanceOnIngest: ReadySkill = values => {
  const list = values.text('subject_path');
  const path = values.text('record_path');
  const kind = values.text('record_kind');
  const priors = values.textMap('prior_credibility');

  const recordOf = (snapshot: Snapshot, subject: Element): Recorded => {
    if (leadsInto(path, list)) return recordedBy(readFor(snapshot, subject, path));
    const elements = about(snapshot, path, idOf(subject));
    return recordedBy(elements.flatMap(({ value, at }) => read(value, '', at)));
  };

  const findingFor = (snapshot: Snapshot, subject: Element): Finding => {
    const id = idOf(subject);
    const recorded = recordOf(snapshot, subject);
    if (recorded === 'yes') return { anchor: id, holds: false };
    const field = pathFor(subject, path);
    const category = textAt(subject, 'source_type') ?? textAt(subject, 'asset_type') ?? '';
    const credibility = priors.get(category) ?? 'UNVERIFIED';
    const state = recorded === 'no' ? 'is absent' : `could not be read (${path})`;
    const detail = `${kind} of ${id} ${state}; its credibility is ${credibility} until there is a record.`;
    return finding(snapshot, id, { severity: 'inform', fields: [field], detail });
  };

  return function provenance(snapshot) {
    return elementsOf(snapshot, list).map(subject => findingFor(snapshot, subject));
  };
};

/**
 * enrich-on-condition: one warning per asset whose condition holds, or cannot be read, and that has
 * no record of the enrichment. A record in a list of the story is an element whose target is the
 * asset and whose claim names the enrichment.
 */
export const enrichOnCondition: ReadySkill = values => {
  const path = values.text('condition_path');
  const wanted = values.scalar('condition_value');
  const enrichment = values.text('enrichment');
  const record = values.text('enrichment_record_path');
  const authority = values.text('clearing_authority');
  const reason = values.optionalText('reason_template');
  const positions = values.optionalTexts('applies_to_position');

  const isRecorded = (snapshot: Snapshot, asset: Element): boolean => {
    if (leadsInto(record, asset.list))
      return recordedBy(readFor(snapshot, asset, record)) === 'yes';
    return about(snapshot, record, idOf(asset)).some(element => claims(element, enrichment));
  };

  /** Why the enrichment is wanted, and by which field; undefined if it is not. */
  const wish = (snapshot: Snapshot, asset: Element) => {
    const readings = readFor(snapshot, asset, path);
    const match = readings.find(({ kind, value }) => kind === 'scalar' && value === wanted);
    if (match) return { field: match.path, why: `${path} is ${shown(match.value)}` };
    const obstacle = readings.find(({ kind }) => kind !== 'scalar');
    if (!obstacle && readings.length > 0) return undefined;
    return { field: obstacle?.path ?? pathFor(asset, path), why: `${path} could not be read` };
  };

  const findingFor = (snapshot: Snapshot, asset: Element): Finding => {
    const id = idOf(asset);
    const wished = isRecorded(snapshot, asset) ? undefined : wish(snapshot, asset);
    if (!wished) return { anchor: id, holds: false };
    const wanted = `${enrichment} is wanted for ${id}: ${wished.why}`;
    const more = reason === undefined ? '' : ` ${reason}`;
    const detail = `${wanted}; ${authority} or above clears it.${more}`;
    return finding(snapshot, id, { severity: 'inform', fields: [wished.field], detail });
  };

  return function enrich(snapshot) {
    return elementsOf(snapshot, 'assets[]')
      .filter(asset => positions?.includes(textAt(asset, 'evidential_position') ?? '') ?? true)
      .map(asset => findingFor(snapshot, asset));
  };
};
