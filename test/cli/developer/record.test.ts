import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  array,
  assert,
  constantFrom,
  letrec,
  oneof,
  property,
  tuple,
  uniqueArray,
} from 'fast-check';
import {
  playSteps,
  readScenario,
  scenarioHead,
  stepText,
  withNewIds,
} from '../../../lib/cli/developer/record.ts';
import { CommandRefused } from '../../../lib/cli/frame/failures.ts';
import type { Bus, PulledMessage } from '../../../lib/kit/client/index.ts';
import { textAsWritten } from '../../../lib/platform/json/as-written.ts';
import { sombus } from '../../support/commands.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';
import { oneService } from '../../support/one-service.ts';

const [first, second, correlation, link] = ['1', '2', '3', '4'].map(
  digit => `${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}`,
);

/** New ids in the order in which they are asked for. */
const counted = () => {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-7000-8000-${String(count).padStart(12, '0')}`;
  };
};

describe('a scenario', () => {
  const renewed = (...messages: readonly object[]) =>
    withNewIds(
      messages.map(message => ({ afterMilliseconds: 0, message: { ...message } })),
      counted(),
    ).map(({ message }) => message);

  test('gets new ids, and references still name what they named', () => {
    const [story, committed] = renewed(
      {
        message_id: first,
        correlation_id: correlation,
        payload: { story_id: 'fire', slug: 'fire' },
      },
      {
        message_id: second,
        correlation_id: correlation,
        causation_id: first,
        payload: {
          link_id: link,
          asset_id: 'fire/clip',
          scope: `link:${link}`,
          tags: [{ value: 'fire' }],
        },
      },
    );
    expect(story).toMatchObject({
      message_id: expect.not.stringMatching(String(first)),
      payload: { slug: 'fire' },
    });
    expect(committed).toMatchObject({
      causation_id: story?.['message_id'],
      correlation_id: story?.['correlation_id'],
      payload: { tags: [{ value: 'fire' }] },
    });
    const { link_id, scope, asset_id } = Object(committed?.['payload']);
    expect([link_id === link, scope]).toEqual([false, `link:${link_id}`]);
    expect(asset_id).toBe(`${Object(story?.['payload']).story_id}/clip`);
    expect(Object(story?.['payload']).story_id).toMatch(/^fire-/);
  });

  test('keeps the words of texts that happen to be names of ids', () => {
    const payload = {
      story_id: 'harbour-fire',
      slug: 'harbour-fire/latest',
      headline: 'first: harbour-fire/latest',
      link_id: link,
      note: `see ${link}, or link:${link}`,
      scope: 'story:harbour-fire',
      asset_ids: ['harbour-fire/clip'],
    };
    const [told] = renewed({ message_id: 'first', topic: 'som:first/first', payload });
    const { slug, headline, story_id, link_id, note, scope, asset_ids } = Object(told?.['payload']);
    expect([told?.['topic'], slug, headline]).toEqual([
      'som:first/first',
      payload.slug,
      payload.headline,
    ]);
    expect(scope).toBe(`story:${story_id}`);
    expect(asset_ids).toEqual([`${story_id}/clip`]);
    expect(note).toBe(`see ${link}, or link:${link_id}`);
  });

  test('may use names of its own for ids, and leave out a message_id', () => {
    const [start, end] = renewed(
      { message_id: 'start', payload: {} },
      { causation_id: 'start', payload: {} },
    );
    expect(end?.['causation_id']).toBe(start?.['message_id']);
    expect(end?.['message_id']).toMatch(/^0{8}-/);
  });

  test('has times in any unit', () => {
    const text = ['250ms', '1.5s', '2m', '1h']
      .map(time => `- { after: ${time}, message: {} }`)
      .join('\n');
    const steps = readScenario(`messages:\n${text}\n- message: {}`);
    expect(steps.map(({ afterMilliseconds }) => afterMilliseconds)).toEqual([
      250, 1500, 120_000, 3_600_000, 0,
    ]);
  });

  test.each([
    ['messages: [', 'cannot be read'],
    ['story: x', 'no list of messages'],
    ['messages:\n- after: soon\n  message: {}', 'messages[0].after'],
    ['messages:\n- message: {}\n- mesage: {}', 'messages[1]: a map with a message'],
    ['messages:\n- message: {}\n  delay: 5s', 'there is no "delay" here'],
  ])('with an error says where: %j', (text, words) => {
    let said = '';
    try {
      readScenario(text);
    } catch (error) {
      if (error instanceof CommandRefused) said = [error.message, ...error.details].join('\n');
    }
    expect(said).toContain(words);
  });
});

test('what is recorded and played keeps every digit, and the order of its members', async () => {
  const payload =
    '{"b":1,"10":12345678901234567890123,"9":1.50,"a":[-0.0,1e2,0.1000000000000000055511151231257827],' +
    '"text":"12345678901234567890123","line":"a\\nb: c","emoji":"\\ud83d\\ude00","none":null,"no":false,"":{}}';
  const text = `{"message_id":"first","payload":${payload},"timestamp":"2026-01-01T00:00:00Z"}`;
  const recorded = stepText({ text } as PulledMessage, 250);
  expect(recorded).toMatch(/^- after: 250ms\n {2}message:\n {4}message_id: first\n/);
  expect(recorded).toMatch(/^ +"?10"?: 12345678901234567890123$/m);
  const sent: string[] = [];
  const publish: Bus['publish'] = async message => {
    sent.push(String(message));
    return { outcome: 'duplicate', messageId: 'first' };
  };
  const steps = readScenario(`${scenarioHead}${recorded}`);
  const { terminal } = recordingTerminal();
  const outside = { now: () => 0, sleep: async () => undefined };
  expect(await playSteps({ publish }, steps, { speed: 1, terminal }, outside)).toBe(0);
  const asSent = payload.replace('\\ud83d\\ude00', '\u{1f600}');
  const now = '1970-01-01T00:00:00.000Z';
  expect(sent).toEqual([`{"message_id":"first","payload":${asSent},"timestamp":"${now}"}`]);
});

describe('a recorded message is played as it was, whatever its texts look like in YAML', () => {
  const recorded = (payload: string): string =>
    stepText({ text: `{"payload":${payload}}` } as PulledMessage, 0);
  const played = (...steps: readonly string[]): readonly string[] =>
    readScenario(scenarioHead + steps.join('')).map(({ message }) => textAsWritten(message));

  const alikeNumbers = ['+1', '+4930123456', '+1.5', '.5', '0x1F', '0o7', '.inf', '-.inf', '.nan'];
  const alikeWords = ['', '~', 'null', 'Null', 'true', 'yes', '=', '<<', '2026-05-04', '12:30'];
  const alikeSyntax = ['- a', '# c', 'a # b', 'a: b', '&a', '*a', '!t', '%Y', '---', '...', '? a'];
  const white = [' a', 'a ', '\n', ' \n ', 'a\n\n b\n', 'a\r\nb', '\t', 'word '.repeat(30)];
  const odd = ['\u0085', 'a\u007f', '\u009f', '\u0001', '\u2028', '\ufeff', '"', "'", '\\n'];
  const texts = [...alikeNumbers, ...alikeWords, ...alikeSyntax, ...white, ...odd];
  const values = texts.map(text => JSON.stringify(text));

  test.each(values)('the text %s', value => {
    expect(played(recorded(`{"value":${value}}`))).toEqual([`{"payload":{"value":${value}}}`]);
  });

  test.each([...values, '"__proto__"', '"0"', '"1.0"'])('the member name %s', name => {
    expect(played(recorded(`{${name}:1}`))).toEqual([`{"payload":{${name}:1}}`]);
  });

  test('as deep as a message may be, with a member name of a kilobyte', () => {
    const name = 'long'.repeat(300);
    const payload = `${'[{"a":'.repeat(30)}{"${name}":1}${'}]'.repeat(30)}`;
    expect(played(recorded(payload))).toEqual([`{"payload":${payload}}`]);
  });

  test('on many lines, as a person edits it, or as its own JSON where YAML cannot hold it', () => {
    expect(recorded('{"tel":"+49","line":"a\\nb"}')).toBe(
      '- after: 0ms\n  message:\n    payload:\n      tel: "+49"\n      line: |-\n        a\n        b\n',
    );
    expect(recorded('{"<<":"a\u0085"}')).toBe(
      '- after: 0ms\n  message: {"payload":{"<<":"a\\u0085"}}\n',
    );
  });

  test('all of them together, and one after the other', () => {
    const name = constantFrom(...texts, '10', '9');
    const { payload } = letrec<{ value: string; payload: string }>(tie => ({
      value: oneof(
        { maxDepth: 4 },
        constantFrom(...values, '-0', '1.50', '1E400', 'true', 'null'),
        array(tie('value'), { maxLength: 3 }).map(items => `[${items}]`),
        tie('payload'),
      ),
      payload: uniqueArray(tuple(name, tie('value')), {
        maxLength: 4,
        selector: ([one]) => one,
      }).map(members => `{${members.map(([one, value]) => `${JSON.stringify(one)}:${value}`)}}`),
    }));
    assert(
      property(array(payload, { minLength: 1, maxLength: 3 }), payloads => {
        const messages = payloads.map(one => `{"payload":${one}}`);
        expect(played(...payloads.map(recorded))).toEqual(messages);
      }),
      { numRuns: 300 },
    );
  });

  test('what a file cannot hold is not taken for recorded', () => {
    const payload = '['.repeat(200) + ']'.repeat(200);
    expect(() => recorded(payload)).toThrow(CommandRefused);
  });
});

test('playing waits for the intervals in the file, divided by the speed', async () => {
  let time = 0;
  const sent: number[] = [];
  const outside = {
    now: () => time,
    sleep: async (milliseconds: number) => {
      await undefined;
      time += milliseconds;
    },
  };
  const bus = {
    publish: async () => {
      sent.push(time);
      // The next message is due after this one was due, not after its response.
      time += 100;
      return { outcome: 'accepted' as const, messageId: 'm' };
    },
  };
  const steps = [0, 2_000, 0, 4_000].map(afterMilliseconds => ({ afterMilliseconds, message: {} }));
  const { terminal } = recordingTerminal();
  expect(await playSteps(bus as unknown as Bus, steps, { speed: 4, terminal }, outside)).toBe(0);
  expect(sent).toEqual([0, 500, 600, 1_500]);
});

describe('sombus record and play', () => {
  const bus = oneService();
  const inData = (name: string) => join(bus.data, name);
  const run = (...args: readonly string[]) => sombus(...args, '--data', bus.data);

  test('what was recorded is played again, edited, as new messages', async () => {
    const { stdout } = await sombus('example', '--story');
    const lines = stdout.trim().split('\n');
    for (const line of lines) {
      writeFileSync(inData('one.json'), line);
      await run('publish', inData('one.json'));
    }
    const file = inData('story.yaml');
    const recorded = await run('record', file, '--count', String(lines.length));
    expect([recorded.code, recorded.stdout]).toEqual([
      0,
      expect.stringContaining('10 messages in'),
    ]);
    const text = readFileSync(file, 'utf8');
    expect(readScenario(text).map(({ message }) => message)).toEqual(
      lines.map(line => JSON.parse(line)),
    );

    writeFileSync(file, text.replace('Smoke seen', 'Thick smoke seen'));
    const played = await run('play', file, '--speed', '1000');
    expect([played.code, played.stdout]).toEqual([
      0,
      expect.stringContaining('10 messages accepted'),
    ]);
    const pulled = await run('tail', '--ack', '--count', '10');
    const envelopes = pulled.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).envelope);
    expect(envelopes[0].payload.headline).toMatch(/^Thick smoke seen/);
    expect(envelopes.map(({ message_type }) => message_type)).toEqual(
      lines.map(line => JSON.parse(line).message_type),
    );
    expect(envelopes[1].causation_id).toBe(envelopes[0].message_id);
    expect(text).not.toContain(envelopes[0].message_id);
  });

  test('a message is accepted although the response to its first try is lost', async () => {
    const file = inData('lost.yaml');
    const { stdout } = await sombus('example');
    writeFileSync(file, JSON.stringify({ messages: [{ message: JSON.parse(stdout) }] }));
    await run('errors', 'set', 'producer', '--lose-responses', '1');
    const { code, stdout: said, stderr } = await run('play', file);
    expect([code, stderr, said]).toEqual([0, '', expect.stringContaining('1 message accepted')]);
    await run('tail', '--ack', '--count', '1');
  });

  test('a refused message fails the command and does not stop it', async () => {
    const file = inData('wrong.yaml');
    writeFileSync(file, 'messages:\n- message: { message_type: story.context }\n- message: {}\n');
    const { code, stdout, stderr } = await run('play', file);
    expect([code, stderr]).toEqual([1, '2 of 2 messages were not accepted\n']);
    expect(stdout).toContain('envelope.required');
  });

  test('a file that is there is not written over', async () => {
    const file = inData('precious.yaml');
    writeFileSync(file, 'mine');
    const { code, stderr } = await run('record', file, '--for', '1s');
    expect([code, stderr]).toEqual([1, expect.stringContaining('is there already')]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('a recording ends with its time', async () => {
    const { code, stdout } = await run('record', inData('empty.yaml'), '--for', '1s');
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 messages in')]);
  });
});
