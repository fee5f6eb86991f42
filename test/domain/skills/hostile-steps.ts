// First: what is counted is compiled after it.
import { stepsOf } from '../../support/steps.ts';

import { hostileBodies, validate } from './hostile-bodies.ts';

const steps = hostileBodies.map(([title, bytes, type]) => [title, stepsOf(() => validate(bytes, type))]);
process.stdout.write(JSON.stringify(steps));
