import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { program } from '../../lib/cli/main.ts';
import { environments, resourceNames } from '../../lib/contract/environments.ts';
import { targetOf } from '../support/commands.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';
import { sombusCommands } from './sombus-commands.ts';

const inFolder = (folder: string) =>
  readdirSync(folder)
    .filter(name => name.endsWith('.md'))
    .map(name => `${folder}/${name}`);

/** What `test/long/guides.test.ts` runs the `sh` blocks of. */
const run = ['README.md', ...inFolder('docs/guides')];
const pages = [...run, 'examples/README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...inFolder('docs')];

interface Part {
  readonly language: string;
  readonly text: string;
}

const fences = (page: string): readonly Part[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );

/** Code inside sentences, without the blocks. */
const spans = (page: string): readonly string[] =>
  [
    ...readFileSync(page, 'utf8')
      .replaceAll(/^```\w*\n.*?^```$/gms, '')
      .matchAll(/`([^`]+)`/g),
  ].map(([, text = '']) => text);

/** The command line with nothing behind its commands. */
const silent = (command: Command): Command => {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  if (command.commands.length === 0) command.action(() => undefined);
  command.commands.forEach(silent);
  return command;
};

/** Why the command line would not take these words; undefined when it would. */
const complaint = async (words: readonly string[]): Promise<string | undefined> => {
  try {
    await silent(program({ ...targetOf({}), ...recordingTerminal() })).parseAsync([
      'node',
      'sombus',
      ...words,
    ]);
    return undefined;
  } catch (error) {
    return error instanceof CommanderError ? error.code : String(error);
  }
};

/** A sentence may name a command without all that it needs. */
const unfinished = ['commander.missingMandatoryOptionValue', 'commander.missingArgument', 'commander.help'];

test.each(pages)('%s has no block whose language is not told', page => {
  const languages = fences(page).map(({ language }) => language);
  const known = ['console', 'json', 'text', ...(run.includes(page) ? ['sh', 'js'] : [])];
  expect(languages.filter(language => !known.includes(language))).toEqual([]);
});

test.each(pages)('the command line takes every command of %s', async page => {
  const faults: string[] = [];
  for (const { text } of fences(page)) {
    for (const words of sombusCommands(text)) {
      const error = await complaint(words);
      if (error !== undefined) faults.push(`${words.join(' ')}: ${error}`);
    }
  }
  for (const span of spans(page)) {
    for (const words of sombusCommands(span)) {
      const error = await complaint(words);
      if (error !== undefined && !unfinished.includes(error)) faults.push(`${words.join(' ')}: ${error}`);
    }
  }
  expect(faults).toEqual([]);
});

test.each(pages)('every npm script and stack that %s names is there', page => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const text = readFileSync(page, 'utf8').replaceAll('$ENV', 'sandbox');
  const named = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name);
  expect(named.filter(name => !(name in scripts))).toEqual([]);
  const stacks = Object.keys(environments).flatMap(environment =>
    ['stateful', 'bus', 'portal', 'watch'].map(
      kind => `${resourceNames(environment as 'sandbox').stack}-${kind}`,
    ),
  );
  const deployed = [...text.matchAll(/cdk deploy ((?:[\w=-]+ ?)+)/g)].flatMap(([, names = '']) =>
    names
      .trim()
      .split(' ')
      .filter(name => !/^-|=/.test(name)),
  );
  expect(deployed.filter(name => !stacks.includes(name))).toEqual([]);
  // Both environments in one account would share its limits.
  expect(text).not.toMatch(/cdk deploy --all/);
});

const sources = ['lib', 'lambdas', 'scripts', 'test', 'web', 'clients', 'examples', '.'].flatMap(folder =>
  readdirSync(folder, { encoding: 'utf8', recursive: folder !== '.' }).map(name => `/${name}`),
);

test.each(pages)('every source file that %s names by its name only is there', page => {
  const named = spans(page).filter(span => /^[\w.-]+\.ts$/.test(span));
  expect(named.filter(name => !sources.some(path => path.endsWith(`/${name}`)))).toEqual([]);
});

test.each(pages)('every campaign that %s names is there', page => {
  const names = [...readFileSync(page, 'utf8').matchAll(/npm run campaign -- ([\w-]+)/g)];
  const campaigns = readFileSync('scripts/campaign.ts', 'utf8');
  const isThere = (name: string) => new RegExp(`^  '?${name}'?:`, 'm').test(campaigns);
  expect(names.map(([, name = '']) => name).filter(name => !isThere(name))).toEqual([]);
});

/** What `eval "$(npx --no sombus env)"` sets. */
const environmentNames = [
  // What `connections apply examples/newsroom.yaml` writes.
  'SOMBUS_NEWSROOM_NCS_PRODUCER_ID',
  'BASE',
  'TENANT',
  'QUEUE',
  'PORTAL',
  'WORKSPACE',
  'PRODUCER',
  'CONSUMER',
];

test.each(run)('%s sets every variable that its commands use', page => {
  const shell = fences(page)
    .filter(({ language }) => language === 'sh' || language === 'console')
    .map(({ text }) => text)
    .join('\n');
  const used = [...shell.matchAll(/(?<!\\)\$\{?([A-Z_]+)/g)].map(([, name = '']) => name);
  const set = [...shell.matchAll(/(?:^|[\s;(])([A-Z_]+)=/gm)].map(([, name = '']) => name);
  const beside = /sombus exec/.test(shell) ? ['SOMBUS_BASE_URL'] : [];
  const known = [
    ...set,
    ...beside,
    ...(/sombus env\)|connections apply/.test(shell) ? environmentNames : []),
  ];
  expect([...new Set(used)].filter(name => !known.includes(name))).toEqual([]);
});

test('every promise of SECURITY.md names tests that are there', () => {
  const [, promises = ''] = readFileSync('SECURITY.md', 'utf8').split('## What is promised');
  const rows = [...promises.matchAll(/^\| (?!Promise|---)(.*) \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(9);
  for (const [, , files = ''] of rows) {
    const named = [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    expect(named.filter(file => !existsSync(file))).toEqual([]);
    expect(named).not.toEqual([]);
  }
});

test.each(pages)('no command of %s lets npx fetch a package that happens to be called sombus', page => {
  expect(readFileSync(page, 'utf8')).not.toMatch(/npx sombus/);
});

test.each(pages)('%s shows no start that other machines can reach without TLS', page => {
  // DynamoDB Local listens on all interfaces, and has no option against that.
  expect(readFileSync(page, 'utf8')).not.toMatch(/0\.0\.0\.0|DynamoDBLocal|--host (?!127\.|\S+ --tls-cert )/);
});

test('a command on a deployed environment names it, in every block of the runbook', () => {
  const used = [...fences('docs/runbook.md').map(({ text }) => text), ...spans('docs/runbook.md')].flatMap(
    sombusCommands,
  );
  expect(used.length).toBeGreaterThan(3);
  const names = (words: readonly string[]) =>
    words.some(word => word === '--environment' || word === '--aws');
  expect(used.filter(words => !names(words))).toEqual([]);
});
