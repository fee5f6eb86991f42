// The skills that compare one field of the story: raise-flag-on-match, flag-on-mismatch and
// select-provider-by-context.
import { type Reading, read } from './paths.ts';
import {
  type Copy,
  type Finding,
  finding,
  isScalar,
  type ReadySkill,
  type Scalar,
  shown,
} from './skill.ts';

const isUnreadable = ({ kind }: Reading): boolean => kind !== 'scalar';

/** Equality is exact: letter case and JSON type count. */
const holding = (readings: readonly Reading[], wanted: Scalar): Reading | undefined =>
  readings.find(({ kind, value }) => kind === 'scalar' && value === wanted);

/** raise-flag-on-match: one warning per story whose field has the value. */
export const raiseFlagOnMatch: ReadySkill = values => {
  const field = values.text('match_field');
  const wanted = values.scalar('match_value');
  const name = values.text('flag_name');
  const authority = values.text('clearing_authority');
  const severity = values.optionalText('severity') === 'inform' ? 'inform' : 'flag';
  const clears = `${authority} or above clears it.`;
  return function raise(snapshot) {
    const readings = read(snapshot, field);
    const match = holding(readings, wanted);
    const obstacle = readings.find(isUnreadable);
    const anchor = snapshot.story_id;
    if (match) {
      const detail = `${name}: ${field} is ${shown(match.value)}, which is ${shown(wanted)}; ${clears}`;
      return [finding(snapshot, anchor, { severity, fields: [match.path], detail })];
    }
    if (obstacle) {
      const detail =
        `${name}: ${field} could not be read, so whether it is ${shown(wanted)} is not known; ` +
        `${clears}`;
      return [finding(snapshot, anchor, { severity: 'flag', fields: [obstacle.path], detail })];
    }
    if (readings.length === 0) return [];
    return [{ anchor, holds: false }];
  };
};

const copyOf = (readings: readonly Reading[]): Copy => {
  if (readings.some(isUnreadable)) return 'unreadable';
  return readings.map(({ value }) => value).filter(isScalar);
};

const listed = (copy: Copy): string => (copy === 'unreadable' ? copy : copy.map(shown).join(', '));

/**
 * flag-on-mismatch: one warning per asset whose copy of a field is not the story's. This executor
 * holds no items of a tool: an asset's copy is the value that its story had when the asset first
 * appeared. Other kinds of items are never seen.
 */
export const flagOnMismatch: ReadySkill = values => {
  const field = values.text('watched_field');
  const authority = values.text('clearing_authority');
  const configured = values.optionalText('declared_severity') === 'inform' ? 'inform' : 'flag';
  const isAsset = values.text('bound_scope') === 'asset';
  return function mismatch(snapshot, firstSeen) {
    const readings = read(snapshot, field);
    const now = copyOf(readings);
    const findingFor = (asset: string): readonly Finding[] => {
      const copy = firstSeen(asset, now);
      if (copy.length === 0 || now.length === 0) return [];
      const isBlind = copy === 'unreadable' || now === 'unreadable';
      if (!isBlind && JSON.stringify(copy) === JSON.stringify(now))
        return [{ anchor: asset, holds: false }];

      const unread =
        `${field} could not be read: the copy of ${asset} is ${listed(copy)}, the story's ` +
        `value is ${listed(now)}`;
      const other = `${field} is ${listed(now)}, and ${asset} was made when it was ${listed(copy)}`;
      const what = isBlind ? unread : other;
      const severity = isBlind ? 'flag' : configured;
      const fields = [readings[0]?.path ?? field];
      const detail = `${what}; ${authority} or above clears it.`;
      return [finding(snapshot, asset, { severity, fields, detail })];
    };
    if (!isAsset) return [];
    const { assets = [] } = snapshot;
    return assets.flatMap(({ asset_id }) => findingFor(asset_id));
  };
};

/** select-provider-by-context: one warning per story that names the provider for a capability. */
export const selectProviderByContext: ReadySkill = values => {
  const path = values.text('trigger_path');
  const wanted = values.scalar('trigger_value');
  const capability = values.text('capability');
  const watched = values.text('watched_field');
  const rows = values.rows('selection_map');
  const fallback = values.text('default_provider');

  /** The first row that a value matches: the order of the rows counts, not that of the values. */
  const selectFor = (readings: readonly Reading[]) => {
    const row = rows.find(one => holding(readings, one.get('when') ?? ''));
    if (row) {
      const because = `${watched} has ${row.get('when') ?? ''}`;
      return { provider: row.get('provider') ?? fallback, because };
    }
    const isUnread = readings.some(isUnreadable);
    const why = isUnread ? `${watched} could not be read` : `no row matches ${watched}`;
    return { provider: fallback, because: `default, as ${why}` };
  };

  return function select(snapshot) {
    const triggers = read(snapshot, path);
    const anchor = snapshot.story_id;
    if (!holding(triggers, wanted)) {
      if (triggers.length === 0 || triggers.some(isUnreadable)) return [];
      return [{ anchor, holds: false }];
    }
    const { provider, because } = selectFor(read(snapshot, watched));
    const detail = `${capability}: ${provider} (${because}); default_provider is ${fallback}.`;
    return [finding(snapshot, anchor, { severity: 'inform', fields: [], detail })];
  };
};
