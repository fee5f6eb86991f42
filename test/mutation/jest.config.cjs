const { projects, testTimeout } = require('../../jest.config.js');

/**
 * The suites near the core: in this process, without the built service, and without counting steps,
 * which instrumented code takes more of.
 */
module.exports = {
  ...projects[0],
  rootDir: '../..',
  // Also `lib`: jest finds the tests of a file through what imports it.
  roots: ['<rootDir>/test', '<rootDir>/lib'],
  testTimeout,
  testMatch: [
    'platform/json',
    'som/messages',
    'som/stories',
    'bus/publishing',
    'bus/delivery',
    'bus/consuming',
    'bus/tokens',
    'schemas',
  ].map(folder => `<rootDir>/test/${folder}/**/*.test.ts`),
  maxWorkers: 1,
};
