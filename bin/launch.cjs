#!/usr/bin/env node
// dist/sombus.js: runs main.js beside it. Compiling that is half of a command's start, so the build
// keeps what V8 compiled in main.cache; another version of Node ignores it and compiles anew.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');
const { engines } = require('../package.json');

const [needed, present] = [engines.node, process.version].map(text =>
  /\d+\.\d+/.exec(text)[0].split('.').map(Number),
);
if (present[0] < needed[0] || (present[0] === needed[0] && present[1] < needed[1])) {
  process.stderr.write(
    `som-bus needs Node.js ${needed.join('.')} or newer, and this is ${process.version}.\n`,
  );
  process.exit(2);
}

const filename = join(__dirname, 'main.js');
const cache = join(__dirname, 'main.cache');
const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
const script = new Script(wrap(readFileSync(filename, 'utf8')), {
  filename,
  cachedData,
  importModuleDynamically: constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});

if (process.env.SOMBUS_KEEP_COMPILED)
  process.once('exit', () => writeFileSync(cache, script.createCachedData()));

script.runInThisContext()(exports, createRequire(filename), module, filename, __dirname);
