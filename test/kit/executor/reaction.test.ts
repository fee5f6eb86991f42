import { makeReady, type ReadyInstance, reactionTo } from '../../../lib/kit/executor/evaluate.ts';
import { Memory } from '../../../lib/kit/executor/memory.file.ts';
import { breaking, instanceOf, message, only, snapshot, stage, storyId } from './stage.ts';

const raising = (label: string, values: object = {}) =>
  instanceOf('raise-flag-on-match', label, {
    match_field: 'lifecycle.phase',
    match_value: 'BREAKING',
    flag_name: 'phase-unsettled',
    clearing_authority: 'duty-editor',
    ...values,
  });
const holding = instanceOf('hold-while-flagged', 'h1', {
  gate_type: 'TEST_RESTRICTION',
  blocked_action: 'air',
  scope: 'story',
  clears_by: 'legal',
});
const active = (skill_id: string, skill_version = '0.2.2') => ({
  skills_config: { active_skills: [{ skill_id, skill_version, skill_type: 'VENDOR' }] },
});
const warning = { story_id: storyId, severity: 'flag' };

test('a message that comes again gets the same bytes again, also after a restart', () => {
  const { send, restart } = stage([raising('r1')]);
  const trigger = message('story.context', snapshot(1, breaking));
  const first = send(trigger);
  expect([first.length, send(trigger)]).toEqual([1, first]);
  restart();
  expect(send(trigger)).toEqual(first);
});

test('a snapshot that is not newer than the newest is not evaluated', () => {
  const { send, snapshot: next, restart } = stage([raising('r1')]);
  next();
  next(breaking);
  restart();
  expect(send(message('story.context', snapshot(1)))).toEqual([]);
  expect(send(message('story.context', snapshot(2)))).toEqual([]);
  expect(next(breaking)).toEqual([]);
});

test('two instances that hold give two warnings', () => {
  const { snapshot: next } = stage([raising('r1'), raising('r2')]);
  expect(next(breaking).map(({ rule_id }) => rule_id)).toEqual(['r1', 'r2']);
});

test('declarations end quietly with their story', () => {
  const { snapshot: next } = stage([raising('r1')]);
  const over = (story_type: string) => next({ story_type, lifecycle: undefined }).length;
  expect([next(breaking).length, over('KILLED'), over('ARCHIVED')]).toEqual([1, 0, 0]);
});

test.each([
  ['it is listed', active('smart-stories/raise-flag-on-match'), 1],
  ['another version is', active('smart-stories/raise-flag-on-match', '0.2.1'), 0],
  ['only another is', active('smart-stories/gate-by-scope'), 0],
  ['the list is empty', { skills_config: { active_skills: [] } }, 0],
  ['there is no list', { skills_config: { newsroom: 'test' } }, 1],
])('a story that has active skills: %s', (_title, config, expected) => {
  expect(stage([raising('r1')]).snapshot({ ...breaking, ...config })).toHaveLength(expected);
});

test('other messages, warnings included, bring nothing new', () => {
  const { snapshot: next, other } = stage([raising('r1'), holding]);
  expect(other('telling.started', {})).toEqual([]);
  expect(next(breaking)).toHaveLength(1);
  for (const type of ['telling.started', 'asset.updated', 'skill.warning.raised'])
    expect(other(type, warning)).toEqual([]);
});

test('a message that brought nothing is not kept, and one that brought something is', () => {
  const memory = new Memory('c1');
  const compose = (_cause: object, declared: object) => message('skill.warning.raised', declared);
  const instances = [makeReady(raising('r1'))];
  const quiet = message('story.context', snapshot(1));
  const telling = message('story.context', snapshot(2, breaking));
  for (const one of [quiet, telling]) reactionTo(one, { memory, instances, compose });
  expect(memory.reactionsTo(quiet.message_id)).toBeUndefined();
  expect(memory.reactionsTo(telling.message_id)).toHaveLength(1);
});

test('another message lets the newest snapshot be looked at again; a warning only its gates', () => {
  const memory = new Memory('c1');
  const tell = (type: string, payload: object, instances: readonly ReadyInstance[]) => {
    const compose = (_cause: object, { rule_id }: { rule_id: string }) =>
      message('skill.warning.raised', { rule_id });
    return reactionTo(message(type, payload), { memory, instances, compose }).texts.map(
      text => JSON.parse(text).payload.rule_id,
    );
  };
  const gates = [{ gate_id: 'g-1', gate_type: 'TEST_RESTRICTION', status: 'PENDING' }];
  const both = [makeReady(raising('r1')), makeReady(holding)];
  expect(tell('story.context', snapshot(1, { ...breaking, editorial_gates: gates }), [])).toEqual(
    [],
  );
  expect(tell('skill.warning.raised', warning, both)).toEqual(['h1']);
  expect(tell('telling.started', {}, both)).toEqual(['r1']);
});

test.each([
  [
    'an unknown skill',
    { ...raising('r1'), skillId: 'smart-stories/declare-context-on-commit' },
    'none of them',
  ],
  ['another version', { ...raising('r1'), skillVersion: '0.3.0' }, 'library 0.2.2'],
  ['a missing value', raising('r1', { match_field: undefined }), 'its match_field is not a text'],
  [
    'a wrong value',
    raising('r1', { match_value: [] }),
    'its match_value is not a text, a number or a boolean',
  ],
])('an instance with %s is refused', (_title, instance, words) => {
  expect(() => makeReady(instance)).toThrow(words);
});

test('state that is not that of this executor is refused', () => {
  const text = new Memory('c1').toText();
  expect(() => new Memory('c2', text)).toThrow('the consumer c1, and this one is c2');
  for (const other of ['', '{}', 'null', '[]'])
    expect(() => new Memory('c1', other)).toThrow('not that of an executor');
});

test('a story may have any id', () => {
  const { send, restart } = stage([raising('r1')]);
  const odd = (sequence: number) =>
    message('story.context', { ...snapshot(sequence, breaking), story_id: '__proto__' });
  expect(send(odd(1))).toHaveLength(1);
  restart();
  expect(send(odd(2))).toHaveLength(0);
  expect(only(raising('__proto__'), breaking).rule_id).toBe('__proto__');
});
