import {
  docsFunction,
  docsPageFunction,
  portalFunction,
  portalPageFunction,
} from '../lib/wiring/descriptions.ts';
import { lambda, sharedLambda } from '../lib/wiring/function.ts';

export const handler = sharedLambda({
  portal: lambda(portalFunction, process.env),
  'portal-page': lambda(portalPageFunction, process.env),
  docs: lambda(docsFunction, process.env),
  'docs-page': lambda(docsPageFunction, process.env),
});
