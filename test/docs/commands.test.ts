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

const pages = [
  ...['README.md', 'examples/README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'test/README.md'],
  ...['docs', 'docs/guides', 'docs/decisions'].flatMap(inFolder),
];

const blocks = (page: string): readonly string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, text = '']) => text);

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
const unfinished = [
  'commander.missingMandatoryOptionValue',
  'commander.missingArgument',
  'commander.help',
];

test.each(pages)('the command line takes every command of %s', async page => {
  const faults: string[] = [];
  for (const [texts, allowed] of [
    [blocks(page), []],
    [spans(page), unfinished],
  ] as const) {
    for (const words of texts.flatMap(sombusCommands)) {
      const error = await complaint(words);
      if (error !== undefined && !allowed.some(one => one === error))
        faults.push(`${words.join(' ')}: ${error}`);
    }
  }
  expect(faults).toEqual([]);
});

/**
 * What the pages name, so that a pattern that matches nothing is seen: a page by itself may name
 * none.
 */
const namedOnPages = (of: (page: string) => readonly string[]): ReadonlySet<string> =>
  new Set(pages.flatMap(of));

const scriptsOf = (page: string): readonly string[] =>
  [...readFileSync(page, 'utf8').matchAll(/npm run (?:-s )?([\w:]+)/g)].map(
    ([, name = '']) => name,
  );

const stacksOf = (page: string): readonly string[] =>
  [
    ...readFileSync(page, 'utf8')
      .replaceAll('$ENV', 'sandbox')
      .matchAll(/cdk deploy ((?:[\w=-]+ ?)+)/g),
  ].flatMap(([, names = '']) =>
    names
      .trim()
      .split(' ')
      .filter(name => !/^-|=/.test(name)),
  );

test('the pages name scripts and stacks', () => {
  expect([...namedOnPages(scriptsOf)]).toEqual(
    expect.arrayContaining(['build', 'generate', 'test:fast', 'campaign']),
  );
  expect([...namedOnPages(stacksOf)]).toEqual(expect.arrayContaining(['sombus-sandbox-bus']));
});

test.each(pages)('every npm script and stack that %s names is there', page => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scriptsOf(page).filter(name => !(name in scripts))).toEqual([]);
  const stacks = Object.keys(environments).flatMap(environment =>
    ['stateful', 'bus', 'portal', 'watch'].map(
      kind => `${resourceNames(environment as 'sandbox').stack}-${kind}`,
    ),
  );
  expect(stacksOf(page).filter(name => !stacks.includes(name))).toEqual([]);
  // Both environments in one account would share its limits.
  expect(readFileSync(page, 'utf8')).not.toMatch(/cdk deploy --all/);
});

const sources = ['lib', 'lambdas', 'scripts', 'test', 'web', 'clients', 'examples', '.'].flatMap(
  folder =>
    readdirSync(folder, { encoding: 'utf8', recursive: folder !== '.' }).map(name => `/${name}`),
);

const filesOf = (page: string): readonly string[] =>
  spans(page).filter(span => /^[\w.-]+\.ts$/.test(span));

test('the pages name source files', () => {
  expect([...namedOnPages(filesOf)]).toEqual(
    expect.arrayContaining(['routes.ts', 'publish.http.ts']),
  );
});

test.each(pages)('every source file that %s names by its name only is there', page => {
  expect(filesOf(page).filter(name => !sources.some(path => path.endsWith(`/${name}`)))).toEqual(
    [],
  );
});

const campaignsOf = (page: string): readonly string[] =>
  [...readFileSync(page, 'utf8').matchAll(/npm run campaign -- ([\w-]+)/g)].map(
    ([, name = '']) => name,
  );

test('the pages name campaigns', () => {
  expect([...namedOnPages(campaignsOf)]).toEqual(
    expect.arrayContaining(['differential', 'dynamodb']),
  );
});

test.each(pages)('every campaign that %s names is there', page => {
  const campaigns = readFileSync('scripts/campaign.ts', 'utf8');
  const isThere = (name: string) => new RegExp(`^  '?${name}'?:`, 'm').test(campaigns);
  expect(campaignsOf(page).filter(name => !isThere(name))).toEqual([]);
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

test.each(pages)(
  'no command of %s lets npx fetch a package that happens to be called sombus',
  page => {
    expect(readFileSync(page, 'utf8')).not.toMatch(/npx sombus/);
  },
);

test.each(pages)('%s shows no start that other machines can reach without TLS', page => {
  // DynamoDB Local listens on all interfaces, and has no option against that.
  expect(readFileSync(page, 'utf8')).not.toMatch(
    /0\.0\.0\.0|DynamoDBLocal|--host (?!127\.|\S+ --tls-cert )/,
  );
});

test('a command on a deployed environment names it, in every block of the runbook', () => {
  const used = [...blocks('docs/runbook.md'), ...spans('docs/runbook.md')].flatMap(sombusCommands);
  expect(used.length).toBeGreaterThan(3);
  const names = (words: readonly string[]) =>
    words.some(word => word === '--environment' || word === '--aws');
  expect(used.filter(words => !names(words))).toEqual([]);
});
