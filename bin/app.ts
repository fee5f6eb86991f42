import { App } from 'aws-cdk-lib';
import { addEnvironments } from '../lib/infra/environment-stacks.ts';
import { whyNotDeployable } from '../lib/infra/settings.ts';

const app = new App();
const problem = whyNotDeployable(app.node, process.env);
if (problem === undefined) addEnvironments(app);
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
