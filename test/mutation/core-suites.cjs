const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const { expect } = require('expect');
const { bind } = require('jest-each');
const { ModuleMocker } = require('jest-mock');
require('tsx/cjs');

/**
 * The suites near the core, for mocha: StrykerJS loads them once there and runs them again for each
 * mutant, where with jest it would load them each time.
 */
const folders = ['contract', 'schemas', 'som', 'bus'];

const withEach = (word, supportsDone) => {
  const { skip } = word;
  const each = say => bind((title, body) => say(title, body), supportsDone);
  return Object.assign(word, { each: each(word), skip: Object.assign(skip, { each: each(skip) }) });
};

const { describe: suite, it: mochaTest } = globalThis;

/** In a suite of its own: mocha runs a suite's tests before the suites in it, jest as they stand. */
const inPlace = say => (title, body) => suite('', () => say(title, body));
const test = Object.assign(inPlace(mochaTest), { skip: inPlace(mochaTest.skip) });

// What jest's tests say.
Object.assign(globalThis, {
  describe: withEach(suite, false),
  test: withEach(test, true),
  it: test,
  beforeAll: before,
  afterAll: after,
  expect,
  jest: new ModuleMocker(globalThis),
});

// As in test/support/has-assertions.cjs.
beforeEach(() => expect.hasAssertions());
afterEach(() => {
  const [missing] = expect.extractExpectedAssertionsErrors();
  if (missing !== undefined) throw missing.error;
});

const suitesIn = folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .toSorted();

for (const folder of folders.map(name => join(__dirname, '..', name)))
  for (const name of suitesIn(folder)) describe(name, () => require(join(folder, name)));
