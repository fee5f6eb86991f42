import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sombus } from '../../support/commands.ts';
import { storyContext } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';
import { program } from '../../support/service-process.ts';

const bus = serviceHere();
const inFolder = (name: string) => join(bus.data, name);

const house = `skills:
  - skill_id: smart-stories/raise-flag-on-match
    instance_label: house-breaking
    authority_scale: [legal, duty-editor]
    values: { match_field: lifecycle.phase, match_value: BREAKING, flag_name: unsettled, clearing_authority: duty-editor }
`;
const breaking = { lifecycle: { phase: 'BREAKING', phase_entered_at: '2026-11-22T09:00:00Z' } };

test('sombus executor prints a line per warning, until it is stopped', async () => {
  writeFileSync(inFolder('house.yaml'), house);
  const options = ['--state', inFolder('state.json'), '--instances', inFolder('house.yaml')];
  const child = spawn(process.execPath, [program, 'executor', ...options, '--data', bus.data]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('instances: house-breaking');
  const message = storyContext({ story_type: 'ACTIVE', ...breaking });
  writeFileSync(inFolder('message.json'), JSON.stringify(message));
  await sombus('publish', inFolder('message.json'), '--data', bus.data);
  const { payload } = message as { payload: { story_id: string } };
  expect((await lines.next()).value).toMatch(
    new RegExp(
      `^flag {4}house-breaking {2}story:${payload.story_id} {2}accepted {2}\\S{36} {2}after story\\.context ${message['message_id']}$`,
    ),
  );
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('a file with errors, or the state of another consumer, is refused', async () => {
  writeFileSync(inFolder('bad.yaml'), house.replace('lifecycle.phase', 'lifecycle.fase'));
  const state = inFolder('other.json');
  const executor = ['executor', '--state', state, '--data', bus.data];
  const bad = await sombus(...executor, '--instances', inFolder('bad.yaml'));
  expect([bad.code, bad.stderr]).toEqual([
    1,
    expect.stringContaining('has errors (1).\n  Instance 1 ("house-breaking")'),
  ]);
  writeFileSync(
    state,
    JSON.stringify({
      format: 'som-bus executor 1',
      consumer: 'cother',
      stories: [],
      responses: [],
    }),
  );
  const other = await sombus(...executor);
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^refused: The state is that of the consumer cother, and this one is c\w+: name another file\.\n$/,
    ),
  ]);
});
