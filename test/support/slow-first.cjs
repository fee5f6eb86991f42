const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Short files whose suites take long: jest starts large files first on a machine where they never
 * ran.
 */
const slow =
  /test\/(long\/|kit\/newsroom\/newsroom|portal\/(stopped|lists)|simulation\/simulation|checks\/run|web\/portal)/;

/**
 * Starts the slowest suites first, so that no core is left with nothing but one of them at the end.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isSlow = ({ path }) => slow.test(path.replaceAll('\\', '/'));
    return [...sorted.filter(isSlow), ...sorted.filter(one => !isSlow(one))];
  }
};
