import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellLines } from '../../../lib/cli/frame/shell.ts';
import { visible } from '../../../lib/cli/frame/terminal.ts';
import { parseSeed, readSeed } from '../../../lib/local/seed.ts';
import { sombus } from '../../support/commands.ts';
import { linkCommitted } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const bus = serviceHere();
const folder = temporaryFolder();
afterAll(folder.remove);

/** Each does something to a terminal instead of showing on it. */
const controls = {
  'a one-byte CSI': '\u009b31m',
  'a delete': '\u007f',
  'a right-to-left override': '\u202eevil',
  'an isolate': '\u2066',
  'a line separator': '\u2028',
  'an escape sequence': '\u001b[2J',
  'a bell': '\u0007',
  'an Arabic letter mark': '\u061c',
};

describe('a text of somebody else on a terminal', () => {
  test.each(Object.entries({ ...controls, 'a line break': '\n', 'a carriage return': '\r' }))(
    '%s is shown, not acted on',
    (_, control) => {
      expect(visible(`a${control}b`)).toMatch(/^a\\u[\da-f]{4}[^\p{Cc}\p{Cf}]*b$/u);
    },
  );

  test('what is harmless stays as it is', () => {
    const text = 'Löscharbeiten – שלום 👩‍🚒\tone :: two #3 ##';
    expect(visible(text)).toBe(text);
  });

  test('only the beginning of a line can be one, however long it is', () => {
    expect(visible('\t :: a :: b')).toBe('\t \\u003a: a :: b');
    expect(visible(`${' '.repeat(200_000)}::`)).toBe(`${' '.repeat(200_000)}\\u003a:`);
  });

  test.each([
    '::error::forged',
    '  ::set-output name=a::b',
    'x ##[error]forged',
    '##vso[task.complete]',
  ])('a CI system takes %j for no command', text => {
    const shown = visible(text);
    expect(shown).not.toMatch(/^\s*::|##\w*\[/);
    expect(JSON.parse(`"${shown}"`)).toBe(text);
  });

  test('sombus tail prints none of them, and its JSON still has the same content', async () => {
    const message = linkCommitted({ topic: `som.${Object.values(controls).join('')}` });
    const path = join(bus.data, 'message.json');
    writeFileSync(path, JSON.stringify(message));
    await sombus('publish', path, '--data', bus.data);
    const { stdout } = await sombus(
      'tail',
      '--ack',
      '--count',
      '1',
      '--wait',
      '5',
      '--data',
      bus.data,
    );
    expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    expect(JSON.parse(stdout).envelope).toEqual(message);
  });
});

describe('a hostile data folder runs nothing:', () => {
  const ran = join(folder.path, 'ran');
  const attacks = [
    `';touch ${ran};'`,
    `$(touch ${ran})`,
    `\`touch ${ran}\``,
    `"; touch ${ran}; "`,
    'a\ntouch b',
  ];

  test.each(attacks)('`sombus env` quotes %j as one word', attack => {
    const script = `${shellLines({ NAME: attack }).join('\n')}\nprintf %s "$NAME"`;
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script], {
      encoding: 'utf8',
      cwd: folder.path,
    });
    expect([stdout, stderr, existsSync(ran)]).toEqual([attack, '', false]);
  });

  const stored = () => JSON.parse(JSON.stringify(readSeed(bus.data)));
  const members = ['producer', 'consumer'].flatMap(client => [
    `${client}.client_id`,
    `${client}.client_secret`,
  ]);

  test.each(['organisation', 'workspace', 'producer.system_id', ...members])(
    'its credentials are damaged when %s has another form',
    path => {
      expect(parseSeed(stored(), 'credentials.json')).toEqual(stored());
      for (const more of [
        ...attacks.slice(path.endsWith('system_id') ? 4 : 0),
        '\n',
        '\u001b[2J',
      ]) {
        const seed = stored();
        const name = path.split('.').at(-1) ?? '';
        const holder = path.includes('.') ? seed[path.split('.')[0] ?? ''] : seed;
        holder[name] += more;
        expect(() => parseSeed(seed, 'credentials.json')).toThrow(/credentials\.json is damaged/);
      }
    },
  );
});
