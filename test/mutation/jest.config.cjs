const base = require('../../jest.config.js');

/** The suites near the core: in this process, without the built service, and without counting steps, which instrumented code takes more of. */
module.exports = {
  ...base,
  rootDir: '../..',
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
