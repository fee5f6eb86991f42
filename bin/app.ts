import { App } from 'aws-cdk-lib';
import { addEnvironments } from '../lib/infra/add-environments.ts';

addEnvironments(new App());
