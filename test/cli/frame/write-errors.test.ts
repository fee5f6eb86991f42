import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkCommitted } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';
import { program, resultOf } from '../../support/service-process.ts';

const bus = serviceHere();

/** Runs a command whose standard output goes where a redirection says. */
const redirected = (redirection: string, ...args: readonly string[]) =>
  resultOf(['sh', '-c', `"$0" "$@" ${redirection}`, process.execPath, program, ...args]);

const told = 'failed: standard output cannot be written: ENOSPC: no space left on device, write\n';

const here = () => ['--data', bus.data];

const create = () => [
  ...['connection', 'create', '--kind', 'producer', '--workspace', bus.ready.workspace],
  ...['--app', 'full-disk', ...here()],
];

test('a machine of these tests has a full disk to write to', () => {
  expect(existsSync('/dev/full')).toBe(true);
});

describe('where standard output cannot be written, a command says so and fails:', () => {
  test.each([['--help'], ['--version'], ['example'], ['connection', 'create', '--help']])(
    'sombus %s %s',
    async (...args) => {
      expect(await redirected('> /dev/full', ...args)).toEqual({
        code: 2,
        stdout: '',
        stderr: told,
      });
    },
  );

  test('with what a command has to say besides', async () => {
    const { code, stderr } = await redirected('> /dev/full', 'workspace', 'list', ...here());
    expect([code, stderr]).toEqual([2, told]);
  });

  test('sombus tail, and acknowledges nothing that was not written', async () => {
    const path = join(bus.data, 'message.json');
    const message = linkCommitted();
    writeFileSync(path, JSON.stringify(message));
    await bus.run('publish', path);
    const tail = ['tail', '--ack', '--once', '--wait', '1', ...here()];
    expect(await redirected('> /dev/full', ...tail)).toEqual({ code: 2, stdout: '', stderr: told });
    const { stdout } = await redirected('', ...tail);
    expect(JSON.parse(stdout)).toMatchObject({ message_id: message.message_id });
  });
});

describe('a secret that could not be written', () => {
  test.each([[[]], [['--json']]])('is told, with how to get another one %j', async more => {
    const { code, stderr } = await redirected('> /dev/full', ...create(), ...more);
    expect(code).toBe(2);
    const [, id] =
      /Issue another secret with: sombus connection secret (\S+) --issue\n/.exec(stderr) ?? [];
    expect(stderr).toContain('It is shown only once, and could not be written.');
    const another = await bus.run('connection', 'secret', String(id), '--issue');
    expect(another).toMatchObject({ code: 0, record: { connection_id: id, kind: 'producer' } });
  });

  test('so is an invitation', async () => {
    const invite = [
      'invite',
      'vendor',
      bus.ready.workspace,
      '--kind',
      'producer',
      '--grant',
      'story.*',
    ];
    const { code, stderr } = await redirected('> /dev/full', ...invite, ...here());
    expect(code).toBe(2);
    expect(stderr).toContain('sombus invite list');
  });
});

test('a file on a full disk takes a part of a line, and the rest is told', async () => {
  const file = join(bus.data, 'part.txt');
  // A limit of one block of 512 bytes: the write that crosses it is cut, the next one fails.
  const script = `trap '' XFSZ; ulimit -f 1; "$0" "$@" > ${file}`;
  const result = await resultOf(['sh', '-c', script, process.execPath, program, 'example']);
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('EFBIG') });
});

test('a reader that leaves is no error', async () => {
  const script = '"$0" "$@" | true; :';
  const result = await resultOf([
    'sh',
    '-c',
    script,
    process.execPath,
    program,
    'connection',
    '--help',
  ]);
  expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
});
