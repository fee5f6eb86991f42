import { App } from 'aws-cdk-lib';
import { whyNotDeployable } from '../lib/infra/settings.ts';
import { addEnvironments } from '../lib/infra/stateless-stack.ts';

const app = new App();
const problem = whyNotDeployable(app.node, process.env);
if (problem === undefined) addEnvironments(app);
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
