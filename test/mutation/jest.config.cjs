const { projects, testTimeout } = require('../../jest.config.js');

/** The suites near the core: in this process, without the built service, and without counting steps, which instrumented code takes more of. */
module.exports = {
  ...projects[0],
  rootDir: '../..',
  roots: ['<rootDir>/test'],
  testTimeout,
  testMatch: [
    'json',
    'messages',
    'stories',
    'publishing',
    'delivery',
    'consuming',
    'tokens',
    'simulation',
    'schemas',
  ].map(folder => `<rootDir>/test/${folder}/**/*.test.ts`),
  maxWorkers: 1,
};
