import { App } from 'aws-cdk-lib';
import { addEnvironments } from '../lib/infra/environments.ts';

addEnvironments(new App());
