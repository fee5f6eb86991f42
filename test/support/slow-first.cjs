const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The suites that take longest on a machine where none ever ran, the slowest first: jest would start
 * large files first there.
 */
const slowest = [
  ...['long/portal-walks', 'long/generated-clients', 'long/portal-jobs', 'long/guides'],
  ...['web/portal', 'long/package', 'long/reactions', 'long/planted-faults', 'long/python'],
  ...['portal/lists', 'portal/queue-front', 'portal/hostile-calls', 'checks/other-types'],
  ...['simulation/pacing', 'long/aws-limits', 'long/work-pages', 'simulation/planted-bugs'],
  ...['long/nag', 'long/ledger-ports', 'kit/newsroom/newsroom', 'portal/stopped'],
  ...['checks/restarted', 'checks/planted-fault', 'checks/run', 'infra/people', 'portal/access'],
  ...['long/dynamodb-differential', 'long/faulty-bus', 'e2e/start', 'checks/isolation'],
];

/** Where a suite stands among the slowest; behind all of them if it is none. */
const placeOf = ({ path }) => {
  const [name] = path.replaceAll('\\', '/').split('/test/').slice(-1);
  const at = slowest.indexOf(name.replace('.test.ts', ''));
  return at === -1 ? slowest.length : at;
};

/**
 * Starts the slowest suites first, so that no core is left with nothing but one of them at the end.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => placeOf(one) - placeOf(other));
  }
};
