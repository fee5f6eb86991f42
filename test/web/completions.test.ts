import { completionsAt } from '../../web/validate/completions.ts';

/** What is offered where the text has a bar. */
const offered = (marked: string) => {
  const at = marked.indexOf('|');
  const { from, options } = completionsAt(marked.replace('|', ''), at);
  return { word: marked.slice(from, at), labels: options.map(({ label }) => label), options };
};

const inPayload = (type: string, inside: string): string =>
  `{"message_type": "${type}", "payload": ${inside}`;

test('members of the envelope are offered, but for those that it has', () => {
  const { labels } = offered('{"som_version": "1.0.0", |}');
  expect(labels).toEqual(expect.arrayContaining(['message_id', 'payload', 'topic']));
  expect(labels).not.toContain('som_version');
  expect(labels).not.toContain('originating_system.system_id');
});

test.each([
  ['link.withdrawn', 'withdrawn', 'slug'],
  ['story.context', 'slug', 'withdrawn'],
])('the payload of a %s has %s, and no %s', (type, member, foreign) => {
  const { labels, word } = offered(inPayload(type, '{"|"}}'));
  expect(labels).toContain(member);
  expect(labels).not.toContain(foreign);
  expect(word).toBe('"');
});

test('a member says its type, whether it must be there, and what it says', () => {
  const { options } = offered(inPayload('link.committed', '{"l|'));
  expect(options.find(({ label }) => label === 'link_id')).toEqual({
    label: 'link_id',
    text: '"link_id"',
    detail: 'string, uuid, required',
    info: 'Names the link.',
    isName: true,
  });
});

test.each([
  ['of an object', '{"lifecycle": {|', ['phase', 'phase_owner'], ['scheme']],
  ['of an object in a list', '{"tags": [{"value": "x"}, {|', ['scheme', 'value'], ['phase']],
  ['behind an object', '{"lifecycle": {"phase": "BREAKING"}, |', ['slug'], ['lifecycle', 'phase']],
])('members %s are found', (_what, inside, here, not) => {
  const { labels } = offered(inPayload('story.context', inside));
  expect(labels).toEqual(expect.arrayContaining(here));
  expect(labels.filter(label => not.includes(label))).toEqual([]);
});

test.each([
  ['listed words', 'story.context', '{"story_type": "A|"}}', 'ARCHIVED', '"ARCHIVED"'],
  ['bare words', 'skill.warning.raised', '{"non_overridable": |}}', 'true', 'true'],
  ['words in a list of objects', 'system.audit', '{"target": {"kind": |', 'LINK', '"LINK"'],
])('values are offered: %s', (_what, type, inside, label, text) => {
  const found = offered(inPayload(type, inside)).options.find(one => one.label === label);
  expect(found).toMatchObject({ text, isName: false });
});

test('the payload repeats the message_type of the envelope first', () => {
  const { labels } = offered(inPayload('telling.ended', '{"message_type": |'));
  expect(labels[0]).toBe('telling.ended');
  expect(new Set(labels).size).toBe(labels.length);
});

test('a type that is half written is not offered as a type', () => {
  expect(offered('{"message_type": "link.w|"}').labels).not.toContain('link.w');
});

test.each([
  '|',
  'not json|',
  '{"message_type": "no.such.type", "payload": {|',
  '{"a": "x", "b": |',
])('nothing is offered where nothing is known: %s', marked => {
  expect(offered(marked).labels).toEqual([]);
});
