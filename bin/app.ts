import { App } from 'aws-cdk-lib';
import { addEnvironments } from '../lib/infra/stateless-stack.ts';

addEnvironments(new App());
