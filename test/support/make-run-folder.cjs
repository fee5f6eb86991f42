const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Makes the folder in which the suites of one run share what is made once. */
module.exports = () => {
  process.env.SOMBUS_TEST_RUN = mkdtempSync(join(tmpdir(), 'sombus-run-'));
};
