import {
  challengeHeaders,
  meaningOn,
  outcomeUnknown,
  refusalBody,
  refuse,
  refused,
  ruleOf,
  violation,
} from '../../lib/contract/refusals.ts';
import { isPassingRule, rulePage, rules, rulesOfType } from '../../lib/contract/rules.ts';

const meaning = 'The route at this URL does not support this method.';
const rule = 'route.method_not_allowed';
const told = { source: 'policy', rule, message: meaning };

test('a violation says by whom, by which rule, why and where', () => {
  expect(violation(rule)).toStrictEqual(told);
  expect(violation(rule, 'No.', '/payload')).toStrictEqual({
    source: 'policy',
    rule,
    message: 'No.',
    path: '/payload',
  });
  expect(violation('message.not_json', 'No.', '')).toStrictEqual({
    source: 'schema',
    rule: 'message.not_json',
    message: 'No.',
    path: '',
  });
});

test('a refusal has violations', () => {
  const other = violation('message.not_json');
  expect(refused(violation(rule), other)).toEqual({ kind: 'refused', violations: [told, other] });
  expect(refuse(rule)).toEqual({ kind: 'refused', violations: [told] });
  expect(refuse(rule, 'No.')).toEqual({
    kind: 'refused',
    violations: [{ ...told, message: 'No.' }],
  });
});

test('each API refuses in its shape', () => {
  expect(refusalBody('bus', rule)).toEqual({ accepted: false, violations: [told] });
  expect(refusalBody('portal', rule)).toEqual({ code: rule, message: meaning });
  expect(refusalBody('portal', rule, 'No.')).toEqual({ code: rule, message: 'No.' });
});

test('the catalogue, which carries no messages, has another size limit', () => {
  // API Gateway's payload quota, which cannot be increased.
  expect(meaningOn('portal', 'message.too_large')).toBe('The body is larger than 10 MiB.');
  expect(meaningOn('bus', 'message.too_large')).toBe(rules['message.too_large'].meaning);
  expect(meaningOn('portal', rule)).toBe(meaning);
  expect(meaningOn('bus', rule)).toBe(meaning);
});

test('only a 401 asks for a token (RFC 6750 section 3)', () => {
  expect(challengeHeaders(401)).toEqual({ 'www-authenticate': 'Bearer' });
  expect([400, 402, 403].map(challengeHeaders)).toEqual([{}, {}, {}]);
});

test('what is not known after a failure is not called refused', () => {
  expect(outcomeUnknown).toEqual({
    bus: {
      rule: 'bus.publish_failed',
      message:
        'The service did not answer, and the outcome is not known. Send the same request again: ' +
        'a message with the same message_id is accepted only once.',
    },
    portal: {
      rule: 'registry.unavailable',
      message: 'The service did not answer. Try again.',
    },
  });
});

test('a rule says how it refuses, and what helps', () => {
  const meaning = expect.stringMatching(/\.$/);
  expect(ruleOf('message.not_json')).toEqual({
    source: 'schema',
    status: 400,
    retry: 'fix',
    meaning,
  });
  expect(ruleOf('message.too_deep')).toEqual({
    source: 'policy',
    status: 400,
    retry: 'fix',
    meaning,
  });
  expect(ruleOf('sequence_number.not_increasing')).toEqual({
    ...{ source: 'sequence', status: 409, retry: 'refresh', meaning },
  });
  expect(ruleOf('check.declined')).toEqual({
    source: 'policy',
    status: 409,
    retry: 'ask',
    meaning,
  });
  expect(ruleOf('order.blocked')).toEqual({
    source: 'policy',
    status: 200,
    retry: 'none',
    meaning,
  });
  expect(ruleOf('bus.publish_failed')).toMatchObject({
    source: 'policy',
    status: 503,
    retry: 'same',
  });
  const failed = { source: 'schema', status: 400, retry: 'fix' };
  const words = 'The message does not match a SOM 1.0 schema.';
  expect(ruleOf('story-context.type')).toEqual({ ...failed, meaning: words });
  expect(ruleOf('toString.type' as never)).toEqual({ ...failed, meaning: words });
});

test('the same bytes may be accepted after some refusals', () => {
  const passing = ['commit.contention', 'bus.publish_failed', 'registry.unavailable'];
  const final = ['message.not_json', 'route.not_found', 'story-context.type', 'toString', ''];
  expect([...passing, ...final].filter(isPassingRule)).toEqual(passing);
});

test('a rule has its page, and schema failures share one', () => {
  const pages = ['message.not_json', 'story-context.type', 'telling-event', 'toString', 'odd.type'];
  expect(pages.map(rulePage)).toEqual([
    'message.not_json',
    'story-context',
    'telling-event',
    undefined,
    undefined,
  ]);
});

test('every message is checked for itself and its sender, a snapshot also for its story', () => {
  const ids = Object.keys(rules);
  const ofAll = [
    ...ids.filter(id => /^(message|som_version)\./.test(id)),
    'payload.message_type_mismatch',
    'message_type.unknown',
    'producer.system_id_not_allowed',
    'producer.message_type_not_allowed',
    'message_id.reused',
  ];
  expect(rulesOfType('link.committed')).toEqual(ofAll);
  const ofSnapshots = rulesOfType('story.context').slice(ofAll.length);
  expect(rulesOfType('story.context').slice(0, ofAll.length)).toEqual(ofAll);
  expect(ofSnapshots.filter(id => rules[id].source !== 'sequence')).toEqual([
    'content_refs.source_unresolved',
    'editorial_source.received_after_update',
  ]);
  const sequences = Object.entries(rules).filter(([, { source }]) => source === 'sequence');
  expect(ofSnapshots).toHaveLength(sequences.length + 2);
});
