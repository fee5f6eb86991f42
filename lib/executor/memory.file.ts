import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Memory } from './memory.ts';

export interface MemoryFile {
  readonly memory: Memory;
  /** Writes what is remembered: after a crash, the file has either what it had before or this. */
  save(): void;
}

/**
 * Opens the memory of an executor, or begins one if there is no file.
 *
 * @param consumer the connection whose messages are remembered
 * @throws UnusableMemory if the file is something else, or of another consumer
 */
export const openMemoryFile = (path: string, consumer: string): MemoryFile => {
  const memory = new Memory(consumer, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return {
    memory,
    save() {
      const draft = `${path}.new`;
      const file = openSync(draft, 'w', 0o600);
      try {
        writeFileSync(file, memory.toText());
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
    },
  };
};
