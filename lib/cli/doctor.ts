import { Command, Option } from 'commander';
import { type AccountOptions, accountOptions, type Environment, uncheckedAccount } from './bus-account.ts';
import type { CommandContext } from './command-context.ts';
import { diagnose } from './doctor-checks.ts';
import type { Patient } from './doctor-permissions.ts';
import { ChecksFailed } from './exit-codes.ts';
import { inputBytes } from './input-bytes.ts';

interface DoctorOptions extends AccountOptions {
  readonly as: 'producer' | 'consumer';
  readonly systemId?: string;
  readonly message?: string;
  readonly json: boolean;
}

const signs = { ok: 'ok   ', fail: 'FAIL ', info: '-    ' } as const;

const patientOf = ({ as, systemId, message, ...options }: DoctorOptions, env: Environment): Patient => ({
  ...uncheckedAccount(options, as, env),
  ...(env['SOMBUS_WORKSPACE'] === undefined ? {} : { workspace: env['SOMBUS_WORKSPACE'] }),
  ...(systemId === undefined ? {} : { systemId }),
  ...(message === undefined ? {} : { message: inputBytes(message) }),
});

/** `sombus doctor`: what works from this machine and what does not, one line each. */
export const doctorCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('doctor'))
    .description('check address, clock, token, permissions, a dry run and a pull from this machine')
    .addOption(
      new Option('--as <kind>', 'which demo connection of the local service')
        .choices(['producer', 'consumer'])
        .default('producer'),
    )
    .option('--system-id <id>', 'the system to dry-run as')
    .option('--message <file>', 'a message of yours to dry-run, or - for standard input')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nA SOMBUS_WORKSPACE that is set is compared with the workspace of the connection.',
    )
    .action(async (options: DoctorOptions) => {
      const findings = await diagnose(patientOf(options, process.env), Date.now);
      if (options.json) terminal.out(JSON.stringify(findings));
      else
        for (const { check, state, words } of findings)
          terminal.out(`${signs[state]}${check.padEnd(11)} ${words}`);
      const failed = findings.filter(({ state }) => state === 'fail').length;
      if (failed > 0) throw new ChecksFailed(`${failed} of ${findings.length} checks failed.`);
    });
