import { join } from 'node:path';
import { variablesFor } from '../../../lib/cli/developer/newsroom.ts';
import { newNotes } from '../../../lib/cli/frame/command.ts';
import { sombus } from '../../support/commands.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';
import { serviceHere } from '../../support/one-service.ts';
import { runningRegistry } from '../../support/running-registry.ts';
import { temporaryFolder } from '../../support/service-process.ts';

test.each([
  [['--without', 'wardrobe'], 'The roles are ncs, mam, skill,'],
  [['--speed', '0.5'], 'A speed is a number from 1'],
  [['--day', '2026-02-30'], 'A day is a date such as 2026-05-04.'],
])('newsroom %s is a wrong command line', async (args, words) => {
  expect(await sombus('newsroom', ...args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(words),
  });
});

test('without a local service and without credentials, the newsroom says where to get them', async () => {
  const folder = temporaryFolder();
  const { code, stderr } = await sombus('newsroom', '--data', join(folder.path, 'none'));
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('sombus connections apply examples/newsroom.yaml'),
  ]);
  folder.remove();
});

describe('the connections of the newsroom', () => {
  const bus = serviceHere();
  const { terminal } = recordingTerminal();
  const options = { data: bus.data, json: false, issueMissing: false };
  const variables = () => {
    const ports = runningRegistry(bus.data, bus.ready);
    return variablesFor({ ports, notes: newNotes(terminal, ports), options });
  };

  test('are made once where two processes start at the same time on a fresh service', async () => {
    const [first, other] = await Promise.all([variables(), variables()]);
    expect(other).toEqual(first);
    const made = await bus.registry.connections.ofWorkspace(bus.ready.workspace);
    expect(
      made.filter(({ systemIds }) => systemIds.some(id => id.startsWith('fennel-'))),
    ).toHaveLength(8);
    expect(
      Object.keys(first?.variables ?? {}).filter(name => name.endsWith('_SECRET')),
    ).toHaveLength(16);
  });
});
