import { CommanderError } from 'commander';
import {
  ChecksFailed,
  ChildFailed,
  CommandRefused,
  reportFailure,
} from '../../../lib/cli/frame/failures.ts';
import { StartRefusal } from '../../../lib/local/start-refusal.ts';

const reported = (error: unknown) => {
  const lines: string[] = [];
  const terminal = { error: (line: string) => void lines.push(line) };
  const code = reportFailure(error, terminal as Parameters<typeof reportFailure>[1]);
  return { code, lines };
};

const region = 'Region is missing. Set AWS_REGION, and AWS_PROFILE or the other AWS_ variables.';

test.each([
  ['a refusal', new CommandRefused('no', ['why']), 1, ['refused: no', '  why']],
  ['checks that failed', new ChecksFailed('2 of 3 failed'), 1, ['2 of 3 failed']],
  ['a start that was refused', new StartRefusal('The port is taken.'), 2, ['The port is taken.']],
  ['any other error', new Error('ENOENT'), 2, ['failed: ENOENT']],
  ['what is no error', 'gone', 2, ['failed: gone']],
  ['a shell without AWS', new Error('Region is missing'), 2, [`failed: ${region}`]],
  ['a command that said why', new ChildFailed(7), 7, []],
  ['a mistyped command', new CommanderError(1, 'commander.unknownOption', 'error'), 2, []],
  ['help', new CommanderError(0, 'commander.help', '(outputHelp)'), 0, []],
])('%s has its exit code, and says once what happened', (_, error, code, lines) => {
  expect(reported(error)).toEqual({ code, lines });
});
