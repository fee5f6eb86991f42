import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellLines } from '../../lib/cli/shell.ts';
import { visible } from '../../lib/cli/terminal.ts';
import { parseSeed, readSeed } from '../../lib/local/seed.ts';
import { sombus } from '../support/commands.ts';
import { linkCommitted } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { temporaryFolder } from '../support/service-process.ts';

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

  test.each(['::error::forged', '  ::set-output name=a::b', 'x ##[error]forged', '##vso[task.complete]'])(
    'a CI system takes %j for no command',
    text => {
      const shown = visible(text);
      expect(shown).not.toMatch(/^\s*::|##\w*\[/);
      expect(JSON.parse(`"${shown}"`)).toBe(text);
    },
  );

  test('sombus tail prints none of them, and its JSON still has the same content', async () => {
    const message = linkCommitted({ topic: `som.${Object.values(controls).join('')}` });
    const path = join(bus.data, 'message.json');
    writeFileSync(path, JSON.stringify(message));
    await sombus('publish', path, '--data', bus.data);
    const { stdout } = await sombus('tail', '--ack', '--count', '1', '--wait', '5', '--data', bus.data);
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
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8', cwd: folder.path });
    expect([stdout, stderr, existsSync(ran)]).toEqual([attack, '', false]);
  });

  const stored = () => JSON.parse(JSON.stringify(readSeed(bus.data)));

  test('the credentials of a real folder are read', () => {
    expect(parseSeed(stored(), 'credentials.json')).toEqual(stored());
  });

  const identifiers = ['client_id', 'client_secret'];
  const members = [
    ['organisation'],
    ['workspace'],
    ...['producer', 'consumer'].flatMap(client => identifiers.map(name => [client, name])),
  ];

  test.each(members.map(path => path.join('.')))(
    'its credentials are damaged when %s has another form',
    path => {
      const [first = '', second = ''] = path.split('.');
      const genuine: string = second ? stored()[first][second] : stored()[first];
      for (const text of [
        ...attacks.map(attack => genuine + attack),
        '',
        `${genuine}\n`,
        genuine.toUpperCase(),
      ]) {
        const seed = stored();
        seed[first] = second ? { ...seed[first], [second]: text } : text;
        expect(() => parseSeed(seed, 'credentials.json')).toThrow(/credentials\.json is damaged/);
      }
    },
  );

  test('its credentials are damaged when the system_id has a control character', () => {
    const seed = stored();
    const hostile = { ...seed, producer: { ...seed.producer, system_id: 'demo\u001b[2J' } };
    expect(() => parseSeed(hostile, 'credentials.json')).toThrow(/is damaged/);
  });
});
