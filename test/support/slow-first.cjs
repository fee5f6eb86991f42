const { default: Sequencer } = require('@jest/test-sequencer');

/** Short files whose suites take half a minute or more: jest starts large files first on a machine where they never ran. */
const slow =
  /test\/(e2e\/durability|docs\/(guides|generated-clients)|clients\/python|engines\/dynamodb\/differential|simulation\/(planted-bugs|simulation)|client\/planted-bugs|cli\/faults|package\/package|checks\/run|web\/(pages|story|work-pages))\.test/;

/** Starts the slowest suites first, so that no core is left with nothing but one of them at the end. */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isSlow = ({ path }) => slow.test(path.replaceAll('\\', '/'));
    return [...sorted.filter(isSlow), ...sorted.filter(one => !isSlow(one))];
  }
};
