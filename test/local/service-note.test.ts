import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFiles } from '../../lib/local/data-folder.ts';
import { runningService } from '../../lib/local/service-note.ts';
import { StartRefusal } from '../../lib/local/start-refusal.ts';
import { temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

test('a folder on which nothing runs is refused, with the command that starts a service there', () => {
  const refusal = () => runningService(folder.path);
  const words = `No service is running on the data folder ${folder.path}: start one with "sombus dev --data ${folder.path}".`;
  expect(refusal).toThrow(new StartRefusal(words));
  // What a killed service leaves: a note, and nobody who holds the folder.
  writeFileSync(join(folder.path, dataFiles.service), '{}');
  expect(refusal).toThrow(new StartRefusal(words));
});
