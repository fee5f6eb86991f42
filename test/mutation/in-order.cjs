const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs suites in the order in which they are named: the nearest to a change find it soonest. */
module.exports = class extends Sequencer {
  sort(tests) {
    const order = (process.env.MUTATION_SUITES ?? '').split(' ');
    const rank = ({ path }) =>
      order.findIndex(name => path.replaceAll('\\', '/').endsWith(`/${name}`));
    return [...tests].sort((a, b) => rank(a) - rank(b));
  }
};
