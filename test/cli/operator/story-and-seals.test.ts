import { randomUUID } from 'node:crypto';
import { bearer, call, post, statusAndRule } from '../../support/http-client.ts';
import { storyContext } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';

const bus = serviceHere();

const correlation_id = randomUUID();

const publish = async (story_id: string, payload: object) => {
  const authorization = await bearer(bus.base, bus.ready.producer);
  const snapshot = storyContext({ story_id, ...payload }, { correlation_id });
  return statusAndRule(await post(`${bus.tenant}/messages`, authorization, snapshot));
};

describe('sombus story reset', () => {
  const story = 'the-flood';
  const reset = (id: string, ...more: readonly string[]) =>
    bus.run('story', 'reset', id, '--workspace', bus.ready.workspace, ...more);

  test('asks twice: without the same story_id again, nothing is forgotten', async () => {
    expect(await publish(story, { sequence_number: 9 })).toEqual([202, undefined]);
    for (const more of [[], ['--confirm', 'another']])
      expect(await reset(story, ...more)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^refused: The next snapshot of the story the-flood would count as its first\.\n.*\n.*--confirm and the same story_id/,
        ),
      });
    expect(await publish(story, { sequence_number: 2 })).toEqual([
      409,
      'sequence_number.not_increasing',
    ]);
  });

  test('lets the next snapshot count as the first', async () => {
    const { stderr } = await reset(story);
    const [, seen = ''] = /--snapshot (\d+)\./.exec(stderr) ?? [];
    const { code, record } = await reset(story, '--confirm', story, '--snapshot', seen);
    expect([code, record]).toEqual([
      0,
      {
        workspace_id: bus.ready.workspace,
        story_id: story,
        started_over_at: expect.stringMatching(/^\d{4}-/),
      },
    ]);
    expect(await publish(story, { sequence_number: 2 })).toEqual([202, undefined]);
    expect(await publish(story, { sequence_number: 2 })).toEqual([
      409,
      'sequence_number.not_increasing',
    ]);
  });

  test('refuses a story of which nothing is remembered', async () => {
    const again = ['--confirm', 'no-such-story', '--snapshot', '1'];
    const { code, stderr } = await reset('no-such-story', ...again);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no-such-story')]);
  });
});

describe('sombus keys', () => {
  interface SealRecord {
    readonly id: string;
    readonly state: string;
  }
  const keys = async (...args: readonly string[]) => {
    const { code, stderr, record } = await bus.run('keys', ...args);
    return { code, stderr, ids: [record].flat().map((one: SealRecord) => one.id) };
  };

  test('list says which key of KMS each one is', async () => {
    expect((await bus.run('keys', 'add')).stderr).toBe('');
    const { record } = await bus.run('keys', 'list');
    const named = record.map(({ key_id }: { readonly key_id: string }) => key_id);
    const arn = expect.stringMatching(/^arn:aws:kms:[a-z0-9-]+:\d{12}:key\/[a-z0-9-]+$/);
    expect(named).toEqual([arn, arn]);
    expect(new Set(named).size).toBe(2);
  });

  test('seals lists the keys, rotate-seals adds one, and only one at a time', async () => {
    // Whoever seals for the first time makes the first key.
    const authorization = await bearer(bus.base, bus.ready.consumer);
    const messages = `${bus.tenant}/consumers/${bus.ready.consumer.client_id}/messages`;
    await publish('the-storm', { sequence_number: 1 });
    expect((await call(messages, { headers: { authorization } })).status).toBe(200);
    const before = await keys('seals');
    expect([before.code, before.stderr, before.ids.length]).toEqual([0, '', 1]);
    const rotated = await keys('rotate-seals');
    expect([rotated.code, rotated.stderr]).toEqual([0, '']);
    expect(rotated.ids).toEqual([expect.any(String), ...before.ids]);
    const again = await bus.run('keys', 'rotate-seals');
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/^refused: /)]);
    expect((await keys('seals')).ids).toEqual(rotated.ids);
  });

  test('rotate-seals --now replaces all of them, and says what that costs', async () => {
    const before = await keys('seals');
    const { code, stderr, ids } = await keys('rotate-seals', '--now');
    expect([code, ids.length]).toEqual([0, 1]);
    expect(before.ids).not.toContain(ids[0]);
    expect(stderr).toMatch(/^note: Within .*no receipt handle.*\n.*receipt\.expired.*\n/);
    expect((await keys('seals')).ids).toEqual(ids);
  });
});
