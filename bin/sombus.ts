import { main } from '../lib/cli/main.ts';

void main(process.argv).then(code => {
  process.exitCode = code;
});
