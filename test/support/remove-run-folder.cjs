const { rmSync } = require('node:fs');

module.exports = () => rmSync(process.env.SOMBUS_TEST_RUN, { recursive: true, force: true });
