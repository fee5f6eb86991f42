import {
  evidenceFunction,
  listRunsFunction,
  showRunFunction,
  startRunFunction,
  stopRunFunction,
} from '../lib/wiring/checks.ts';
import { lambda, sharedLambda } from '../lib/wiring/function.ts';

export const handler = sharedLambda({
  'check-start': lambda(startRunFunction, process.env),
  'check-list': lambda(listRunsFunction, process.env),
  'check-report': lambda(showRunFunction, process.env),
  'check-stop': lambda(stopRunFunction, process.env),
  'check-evidence': lambda(evidenceFunction, process.env),
});
