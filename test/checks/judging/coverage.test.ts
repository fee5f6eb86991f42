import { coverageOf } from '../../../lib/checks/judging/coverage.ts';

const row = (coverage: ReturnType<typeof coverageOf>, type: string, member: string) =>
  coverage.rows.find(one => one.message_type === type && one.member === member);

const link = {
  message_id: 'a',
  message_type: 'link.committed',
  originating_system: { system_id: 'desk', system_type: 'ncs' },
  payload: { message_type: 'link.committed', compliance_gate_status: 'PENDING', extensions: {} },
};

test('a member counts as soon as one message has it; the values of SOM that were seen are told', () => {
  const coverage = coverageOf([link], ['link.committed']);
  expect(row(coverage, 'link.committed', 'compliance_gate_status')).toEqual({
    message_type: 'link.committed',
    member: 'compliance_gate_status',
    required: true,
    seen: true,
    values_seen: ['PENDING'],
    values_missing: ['CLEARED', 'BLOCKED'],
  });
  expect(row(coverage, 'envelope', 'originating_system.system_type')).toMatchObject({
    seen: true,
    values_seen: ['ncs'],
  });
  expect(row(coverage, 'link.committed', 'asset_id')).toMatchObject({
    required: true,
    seen: false,
  });
  // 6 of 23 of the envelope, 3 of 8 of the link.
  expect([coverage.rows.length, coverage.percent]).toEqual([31, 29]);
});

test('each type has the members that it may have, and those that it must have', () => {
  const coverage = coverageOf(
    [],
    ['telling.started', 'telling.ended', 'link.gate_changed', 'link.withdrawn'],
  );
  expect(row(coverage, 'telling.started', 'exposure_start')).toMatchObject({ required: true });
  expect(row(coverage, 'telling.started', 'exposure_end')).toBeUndefined();
  expect(row(coverage, 'telling.ended', 'exposure_end')).toMatchObject({ required: true });
  expect(row(coverage, 'link.gate_changed', 'withdrawn')).toBeUndefined();
  expect(row(coverage, 'link.withdrawn', 'withdrawn.reason')).toMatchObject({ required: false });
  expect(coverage.percent).toBe(0);
});

test('lists are looked into, whatever they nest; removed members have no row', () => {
  const payload = {
    assets: [{}, { usage: [{ state: 'committed' }] }],
    editorial_gates: [{ blocks: [{ kind: 'PHASE' }] }],
  };
  const coverage = coverageOf([{ message_type: 'story.context', payload }], ['story.context']);
  expect(row(coverage, 'story.context', 'assets[].usage[].state')).toMatchObject({ seen: true });
  expect(row(coverage, 'story.context', 'editorial_gates[].blocks[].kind')).toMatchObject({
    values_seen: ['PHASE'],
    values_missing: ['ASSET'],
  });
  expect(row(coverage, 'story.context', 'ai_enrichments')).toBeUndefined();
});
