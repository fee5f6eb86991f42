import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs of Python packages, in an environment of their own that goes when it is closed. */
interface PythonTools {
  /** The path of a program. */
  bin(program: string): string;
  close(): void;
}

const at = (folder: string, close: () => void): PythonTools => ({
  bin: program => join(folder, 'bin', program),
  close,
});

/**
 * Installs packages into a throw-away virtual environment; undefined, with a notice, where Python
 * or its registry cannot be reached. `SOMBUS_PYTHON_TOOLS` names an environment that has them
 * already.
 */
export const pythonTools = (...packages: readonly string[]): PythonTools | undefined => {
  const given = process.env['SOMBUS_PYTHON_TOOLS'];
  if (given && existsSync(given)) return at(given, () => undefined);
  const folder = mkdtempSync(join(tmpdir(), 'sombus-python-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'pipe' });
    const pip = ['install', '--quiet', '--disable-pip-version-check', ...packages];
    execFileSync(join(folder, 'bin', 'pip'), pip, { stdio: 'pipe', timeout: 300_000 });
    return at(folder, close);
  } catch (error) {
    close();
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    console.warn(`SKIPPED: ${packages.join(', ')} cannot be installed here (${reason}).`);
    return undefined;
  }
};
