import { limitsCommand } from '../../lib/cli/quota.ts';
import type { Firewall } from '../../lib/registry/firewall.wafv2.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';

const run = async (argv: readonly string[], firewall: Partial<Firewall>): Promise<readonly string[]> => {
  const { terminal, printed } = recordingTerminal();
  const command = limitsCommand(
    { terminal },
    () => ({ blocked: async () => [], sampled: async () => [], ...firewall }),
    () => Date.parse('2026-05-04T09:15:00Z'),
  );
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(argv, { from: 'user' });
  return printed;
};

describe('sombus limits', () => {
  test('blocked prints the addresses with their rules', async () => {
    const blocked = async () => [
      { rule: 'sombus-sandbox-bus/any-route-per-address', address: '192.0.2.7/32' },
    ];
    expect(await run(['blocked', '--environment', 'sandbox'], { blocked })).toEqual([
      'rule                                      address',
      'sombus-sandbox-bus/any-route-per-address  192.0.2.7/32',
    ]);
  });

  test('sampled looks back the given number of minutes and prints JSON', async () => {
    const sampled = async (from: Date, to: Date) => {
      expect([from.toISOString(), to.toISOString()]).toEqual([
        '2026-05-04T09:05:00.000Z',
        '2026-05-04T09:15:00.000Z',
      ]);
      return [
        { at: from, rule: 'r', action: 'BLOCK', address: '192.0.2.7', method: 'GET', path: '/v1/health' },
      ];
    };
    const [line] = await run(['sampled', '--environment', 'preview', '--minutes', '10', '--json'], {
      sampled,
    });
    expect(JSON.parse(line ?? '')).toEqual([
      {
        at: '2026-05-04T09:05:00.000Z',
        rule: 'r',
        action: 'BLOCK',
        address: '192.0.2.7',
        method: 'GET',
        path: '/v1/health',
      },
    ]);
  });

  test.each([
    [['blocked']],
    [['blocked', '--environment', 'production']],
    [['sampled', '--environment', 'sandbox', '--minutes', '181']],
  ])('%j is a usage error', async argv => {
    await expect(run(argv, {})).rejects.toThrow();
  });
});
