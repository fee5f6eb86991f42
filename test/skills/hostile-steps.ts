import { stepsOf } from '../support/steps.ts';
import { hostileBodies, validate } from './hostile-bodies.ts';

// First: what is counted is compiled after it.

const steps = hostileBodies.map(([title, bytes, type]) => [
  title,
  stepsOf(() => validate(bytes, type)),
]);
process.stdout.write(JSON.stringify(steps));
