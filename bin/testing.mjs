// dist/testing/index.mjs: for `import`, what `require` gives.
import testing from './index.js';

export const { startBus } = testing;
