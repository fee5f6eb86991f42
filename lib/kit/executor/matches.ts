// The skills that compare one field of the story: raise-flag-on-match, flag-on-mismatch and
// select-provider-by-context.
import { isUnreadable, type Reading, read, readingWith } from './paths.ts';
import { type Copy, type Finding, finding, isScalar, type ReadySkill, shown } from './skill.ts';

/** raise-flag-on-match: one warning per story whose field has the value. */
export const raiseFlagOnMatch: ReadySkill = values => {
  const field = values.text('match_field');
  const wanted = values.scalar('match_value');
  const flag = values.text('flag_name');
  const authority = values.text('clearing_authority');
  const severity = values.optionalText('severity') === 'inform' ? 'inform' : 'flag';
  const clearing = `${authority} or above clears it.`;

  return function raise(snapshot) {
    const anchor = snapshot.story_id;
    const readings = read(snapshot, field);
    const match = readingWith(readings, wanted);
    if (match) {
      const detail = `${flag}: ${field} is ${shown(match.value)}, which is ${shown(wanted)}; ${clearing}`;
      return [finding(snapshot, anchor, { severity, fields: [match.path], detail })];
    }

    const obstacle = readings.find(isUnreadable);
    if (obstacle) {
      const detail =
        `${flag}: ${field} could not be read, so whether it is ${shown(wanted)} is not known; ` +
        `${clearing}`;
      return [finding(snapshot, anchor, { severity: 'flag', fields: [obstacle.path], detail })];
    }
    return readings.length === 0 ? [] : [{ anchor, holds: false }];
  };
};

const copyOf = (readings: readonly Reading[]): Copy => {
  if (readings.some(isUnreadable)) return 'unreadable';
  return readings.map(({ value }) => value).filter(isScalar);
};

const copyText = (copy: Copy): string =>
  copy === 'unreadable' ? copy : copy.map(shown).join(', ');

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
    if (!isAsset) return [];
    const readings = read(snapshot, field);
    const fields = [readings[0]?.path ?? field];
    const current = copyOf(readings);
    const currentText = copyText(current);

    const findingsFor = (asset: string): readonly Finding[] => {
      const first = firstSeen(asset, current);
      const firstText = copyText(first);
      if (first.length === 0 || current.length === 0) return [];
      if (first === 'unreadable' || current === 'unreadable') {
        const detail =
          `${field} could not be read: the copy of ${asset} is ${firstText}, the story's value ` +
          `is ${currentText}; ${authority} or above clears it.`;
        return [finding(snapshot, asset, { severity: 'flag', fields, detail })];
      }

      const isSame = JSON.stringify(first) === JSON.stringify(current);
      if (isSame) return [{ anchor: asset, holds: false }];
      const detail =
        `${field} is ${currentText}, and ${asset} was made when it was ${firstText}; ` +
        `${authority} or above clears it.`;
      return [finding(snapshot, asset, { severity: configured, fields, detail })];
    };

    const { assets = [] } = snapshot;
    return assets.flatMap(({ asset_id }) => findingsFor(asset_id));
  };
};

/** select-provider-by-context: one warning per story that names the provider for a capability. */
export const selectProviderByContext: ReadySkill = values => {
  const triggerPath = values.text('trigger_path');
  const triggerValue = values.scalar('trigger_value');
  const capability = values.text('capability');
  const watched = values.text('watched_field');
  const rows = values.rows('selection_map');
  const fallback = values.text('default_provider');

  /** The first row that a value matches: the order of the rows counts, not that of the values. */
  const selectFor = (readings: readonly Reading[]) => {
    const row = rows.find(candidate => readingWith(readings, candidate.get('when') ?? ''));
    if (row) {
      const because = `${watched} has ${row.get('when') ?? ''}`;
      return { provider: row.get('provider') ?? fallback, because };
    }
    const isUnread = readings.some(isUnreadable);
    const why = isUnread ? `${watched} could not be read` : `no row matches ${watched}`;
    return { provider: fallback, because: `default, as ${why}` };
  };

  return function select(snapshot) {
    const anchor = snapshot.story_id;
    const triggers = read(snapshot, triggerPath);
    if (!readingWith(triggers, triggerValue)) {
      const isUnknown = triggers.length === 0 || triggers.some(isUnreadable);
      return isUnknown ? [] : [{ anchor, holds: false }];
    }

    const { provider, because } = selectFor(read(snapshot, watched));
    const detail = `${capability}: ${provider} (${because}); default_provider is ${fallback}.`;
    return [finding(snapshot, anchor, { severity: 'inform', fields: [], detail })];
  };
};
