import { explore } from './model.ts';

process.stdout.write(JSON.stringify(explore()));
