import { producer } from '../../corpus/connections.ts';
import { costlyBodies } from '../../corpus/costly-bodies.ts';
import { judgementOf } from '../../support/judgement-of.ts';
import { stepsOf } from '../../support/steps.ts';

// First: what is counted is compiled after it.

const steps = costlyBodies.map(([what, body]) => [
  what,
  stepsOf(() => judgementOf(body, producer(), {})),
]);
process.stdout.write(JSON.stringify(steps));
