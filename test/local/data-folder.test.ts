import { openDataFolder } from '../../lib/local/data-folder.ts';
import { temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

test('an open folder cannot be opened again until it is released', async () => {
  for (let time = 0; time < 20; time += 1) {
    const opened = await openDataFolder(folder.path, { fresh: false });
    await expect(openDataFolder(folder.path, { fresh: false })).rejects.toThrow(
      `Another service (process ${process.pid}) is using the data folder`,
    );
    await opened.release();
  }
});
