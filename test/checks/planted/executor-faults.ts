import { type PlantedFault, plantedIn } from './plant.ts';

const inDeclarations = plantedIn('lib/executor/declarations.ts');
const inEvaluate = plantedIn('lib/executor/evaluate.ts');
const inGates = plantedIn('lib/executor/gates.ts');
const inIndex = plantedIn('lib/executor/index.ts');
const inMatches = plantedIn('lib/executor/matches.ts');
const inProposals = plantedIn('lib/executor/proposals.ts');
const inRecords = plantedIn('lib/executor/records.ts');

const skillNames = [
  'gate-by-scope',
  'hold-while-flagged',
  'record-provenance-on-ingest',
  'enrich-on-condition',
  'match-and-propose',
  'select-provider-by-context',
  'apply-clearance',
];
const named = (skill: string, ...names: readonly string[]) => names.map(name => `${skill}/${name}`);

const redelivered = skillNames.map(skill => `${skill}/redelivered`);
const gateHolds = named(
  'gate-by-scope',
  ...[
    'holds',
    'rejected',
    'diverges',
    'gate-missing',
    'releases',
    'release-recorded',
    'unchanged',
    'redelivered',
  ],
);
const holds = named('hold-while-flagged', 'reread', 'released', 'vanishes', 'redelivered');
const selects = named(
  'select-provider-by-context',
  ...['matches', 'edited-map', 'two-tags', 'default', 'untagged', 'unreadable', 'unmoved', 'context-moves'],
  'redelivered',
);
const provenances = named(
  'record-provenance-on-ingest',
  ...['absent', 'mixed', 'arrives-later', 'unchanged', 'redelivered'],
);

const each = (because: string): PlantedFault['also'] => ({ cases: 'each with a response', because });
const of = (cases: readonly string[], because: string): PlantedFault['also'] => ({ cases, because });

/** Faults for the reference executor. */
export const executorFaults: readonly PlantedFault[] = [
  inIndex(
    'causation_id is the correlation_id',
    ['        cause,\n', '        cause: { ...cause, message_id: cause.correlation_id },\n'],
    'raise-flag-on-match/declares',
    each('every warning has a cause'),
  ),
  inIndex(
    'each warning has a correlation_id of its own',
    ['        cause,\n', '        cause,\n        correlation_id: newId(),\n'],
    'raise-flag-on-match/declares',
    each('every warning belongs to a correlation'),
  ),
  inIndex(
    'the bytes of a response depend on when it is sent',
    [
      'for (const text of texts)',
      'for (const text of texts.map(one => JSON.stringify({ ...JSON.parse(one), _actors: { sent: newId() } })))',
    ],
    'raise-flag-on-match/redelivered',
    of(redelivered, 'each of them delivers a trigger again'),
  ),
  inIndex(
    'all warnings have one warning_id',
    ['warning_id: newId()', "warning_id: '0190a000-0000-7000-8000-00000000000a'"],
    'raise-flag-on-match/declares',
    each('every warning has an id'),
  ),
  inEvaluate(
    'a redelivered trigger gets a new message',
    [
      'return { texts: before, isChanged: false };',
      'return { texts: before.map(text => JSON.stringify({ ...JSON.parse(text), message_id: crypto.randomUUID() })), isChanged: false };',
    ],
    'raise-flag-on-match/redelivered',
    of(redelivered, 'each of them delivers a trigger again'),
  ),
  inEvaluate(
    'an older snapshot is evaluated',
    ['sequence_number > memory.story(story_id).sequence', 'true'],
    'raise-flag-on-match/late-snapshot',
    of(['raise-flag-on-match/overtaken'], 'it delivers an older snapshot, too'),
  ),
  inEvaluate(
    'message_ids are remembered instead of the highest sequence_number',
    [
      'sequence_number > memory.story(story_id).sequence',
      '!(memory.seen ??= new Set()).has(message.message_id) && memory.seen.add(message.message_id).size > 0',
    ],
    'raise-flag-on-match/overtaken',
  ),
  inMatches(
    'numbers are compared as texts',
    ["kind === 'scalar' && value === wanted", "kind === 'scalar' && String(value) === String(wanted)"],
    'raise-flag-on-match/json-type',
  ),
  inEvaluate(
    'a warning of somebody else triggers the skills',
    [
      'const story = memory.story(snapshot.story_id);',
      "const isForeign = message.message_type === 'skill.warning.raised' && !context.instances.some(({ instance }) => instance.label === message.payload.rule_id);\n  const story = isForeign ? { ...memory.story(''), sequence: 0 } : memory.story(snapshot.story_id);\n  if (isForeign) look.instances = context.instances;",
    ],
    'raise-flag-on-match/warning-ignored',
  ),
  inEvaluate(
    'a wake-up declares everything again',
    [
      'const story = memory.story(snapshot.story_id);',
      "const story = memory.story(message.message_type.startsWith('telling.') ? '' : snapshot.story_id);",
    ],
    'raise-flag-on-match/wake-up',
  ),
  inEvaluate(
    'only one instance may speak about a snapshot',
    [
      '    warnings.push(...told.warnings);\n',
      '    warnings.push(...told.warnings);\n    if (told.warnings.length > 0) break;\n',
    ],
    'raise-flag-on-match/two-instances',
    of(
      [
        ...selects,
        ...gateHolds,
        'gate-by-scope/permits-recorded',
        ...provenances,
        'flag-on-mismatch/stale-asset',
        'flag-on-mismatch/still-stale',
        'match-and-propose/unreadable-score',
      ],
      'an instance whose label comes before theirs speaks about the same story',
    ),
    { mayDiffer: 'all others', because: 'a bus lists instances of one age in any order' },
  ),
  inEvaluate(
    'active_skills is not read',
    ['skill_id === skillId && skill_version === skillVersion', 'true'],
    'raise-flag-on-match/not-active',
  ),
  inEvaluate(
    'an ended story is evaluated',
    ["['KILLED', 'SPIKED', 'ARCHIVED'].includes(story_type)", 'false'],
    'raise-flag-on-match/terminal',
  ),
  inDeclarations(
    'a declaration is told with each snapshot',
    ['if (!known || !isSaid(known, declaration))', 'if (true)'],
    'raise-flag-on-match/opens-later',
    of(
      [
        'raise-flag-on-match/late-snapshot',
        'raise-flag-on-match/wake-up',
        'flag-on-mismatch/still-stale',
        'gate-by-scope/unchanged',
        'record-provenance-on-ingest/arrives-later',
        'record-provenance-on-ingest/unchanged',
        'enrich-on-condition/unchanged',
        'select-provider-by-context/unmoved',
        'apply-clearance/reread',
        'hold-while-flagged/holds',
        ...holds,
      ],
      'the story stays as it is for them; a hold is told again because of its own warning',
    ),
  ),
  inDeclarations(
    'a declaration that closed is not opened again',
    ['      open.delete(key);\n', ''],
    'raise-flag-on-match/reopens',
  ),
  inDeclarations(
    'all openings have one ref',
    ['refOf(label, scope, opened.get(counter) ?? 1)', 'refOf(label, scope, 1)'],
    'raise-flag-on-match/reopens',
    of(['record-provenance-on-ingest/arrives-later'], 'two subjects of one story are declared in it'),
  ),
  inDeclarations(
    'all declarations of an instance have one ref',
    ['refOf(label, scope, opened.get(counter) ?? 1)', 'label'],
    'gate-by-scope/permits-recorded',
    of(
      ['raise-flag-on-match/reopens', 'gate-by-scope/diverges', 'record-provenance-on-ingest/arrives-later'],
      'each of them has several openings in one story',
    ),
  ),
  inDeclarations(
    'what is no longer there is closed',
    [
      '  return { after: { ...before, open, opened }, warnings };',
      '  const now = new Set(findings.map(({ anchor }) => keyOf(label, anchor)));\n  for (const key of [...open.keys()]) if (JSON.parse(key)[0] === label && !now.has(key)) open.delete(key);\n  return { after: { ...before, open, opened }, warnings };',
    ],
    'hold-while-flagged/vanishes',
  ),
  inDeclarations(
    'a hold can be overridden',
    ["non_overridable: finding.severity === 'hold'", 'non_overridable: false'],
    'hold-while-flagged/holds',
    of([...gateHolds, ...holds], 'each of them holds something'),
  ),
  inGates(
    'blocks is a text instead of a list',
    ["severity: 'hold', blocks: [scope] }", "severity: 'hold', blocks: scope }"],
    'gate-by-scope/holds',
    of(gateHolds, 'each of them holds a link'),
  ),
  inMatches(
    'letter case does not count',
    [
      "kind === 'scalar' && value === wanted",
      "kind === 'scalar' && String(value).toLowerCase() === String(wanted).toLowerCase()",
    ],
    'raise-flag-on-match/letter-case',
    of(['raise-flag-on-match/json-type'], 'it compares a number with a text, too'),
  ),
  inMatches(
    'absent counts as unreadable',
    [
      'const obstacle = readings.find(isUnreadable);\n    const common',
      'const obstacle = readings.length === 0 ? { path: field } : readings.find(isUnreadable);\n    const common',
    ],
    'raise-flag-on-match/absent',
  ),
  inMatches(
    'unreadable counts as absent',
    ['    if (obstacle) {\n', '    if (false) {\n'],
    'raise-flag-on-match/unreadable',
  ),
  inMatches(
    'unreadable has the configured severity',
    [
      "holds: true, severity: 'flag', fields: [obstacle.path]",
      'holds: true, severity, fields: [obstacle.path]',
    ],
    'raise-flag-on-match/unreadable',
  ),
  inMatches(
    'only the first element of a list is read',
    ['const match = holding(readings, wanted);', 'const match = holding(readings.slice(0, 1), wanted);'],
    'raise-flag-on-match/array',
  ),
  inMatches(
    'a context without a row selects nothing',
    [
      'const { provider, because } = selectFor(read(snapshot, watched));',
      "const { provider, because } = selectFor(read(snapshot, watched));\n    if (because.startsWith('default')) return [];",
    ],
    'select-provider-by-context/default',
    of(
      ['select-provider-by-context/untagged', 'select-provider-by-context/unreadable'],
      'both get the default',
    ),
  ),
  inMatches(
    'a context without a row gets the provider of the first row',
    ['provider: fallback, because', "provider: rows[0]?.get('provider') ?? fallback, because"],
    'select-provider-by-context/default',
    of(
      ['select-provider-by-context/untagged', 'select-provider-by-context/unreadable'],
      'both get the default',
    ),
  ),
  inGates(
    'a gate is said to hold the story, not the link',
    ['const scope = linkScope(link_id);', 'const scope = storyScope(snapshot);'],
    'gate-by-scope/holds',
    of([...gateHolds, 'gate-by-scope/permits-recorded'], 'each of them is about a link'),
  ),
  inGates(
    'any approved gate of the kind opens',
    ['gates.filter(gate => gate.id === id)', 'gates'],
    'gate-by-scope/gate-missing',
    of(['gate-by-scope/diverges'], 'it has two gates of the kind'),
  ),
  inGates(
    'the type of a gate does not count',
    ["of('gate_type')?.value !== type", "type === ''"],
    'gate-by-scope/other-kind',
    of(['hold-while-flagged/other-type'], 'it has a gate of another type, too'),
  ),
  inGates(
    'a rejected gate opens',
    ["isOpen: gate.status === 'APPROVED'", "isOpen: gate.status !== 'PENDING'"],
    'gate-by-scope/rejected',
  ),
  inGates(
    'a hold does not say what it withholds',
    ['const blocks = [', 'const blocks: string[] = [];\n      void ['],
    'hold-while-flagged/holds',
    of(holds, 'each of them holds something'),
  ),
  inRecords(
    'a record of an absence is no record',
    [
      "if (readings.some(({ kind }) => kind !== 'blocked')) return 'yes';",
      "if (readings.some(({ kind, value }) => kind !== 'blocked' && Object(value).present !== false)) return 'yes';",
    ],
    'record-provenance-on-ingest/as-absent',
  ),
  inRecords(
    'what is not there wants no enrichment',
    ['if (!obstacle && readings.length > 0) return undefined;', 'if (!obstacle) return undefined;'],
    'enrich-on-condition/unpublished',
  ),
  inRecords(
    'the position of an asset does not count',
    ["positions?.includes(textAt(asset, 'evidential_position') ?? '') ?? true", 'true'],
    'enrich-on-condition/other-position',
  ),
  inRecords(
    'what is recorded is wanted again',
    ['isRecorded(snapshot, asset) ? undefined : wish(snapshot, asset)', 'wish(snapshot, asset)'],
    'enrich-on-condition/recorded',
  ),
  inProposals(
    'the threshold itself does not count',
    ['reading.value >= threshold', 'reading.value > threshold'],
    'match-and-propose/at-threshold',
  ),
  inProposals(
    'the score of another assertion is taken',
    ['readFor(snapshot, element, path)', 'read(snapshot, path)'],
    'match-and-propose/other-assertion',
  ),
  inProposals(
    'a proposal does not say for which story it is',
    ['{snapshot.story_id}: $', '{phase}: $'],
    'match-and-propose/proposes',
    of(
      named('match-and-propose', 'at-threshold', 'unreadable-score', 'redelivered'),
      'each of them proposes something',
    ),
  ),
  inProposals(
    'a waived entry counts as a clearance',
    ["at(entry, 'status') !== 'RESOLVED'", "at(entry, 'status') === 'ACTIVE'"],
    'apply-clearance/waived',
  ),
];
