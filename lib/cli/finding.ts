/** What one check of the doctor found, in one line. */
export interface Finding {
  readonly check: string;
  /** `info`: nothing to mend, such as a check that is for producers only. */
  readonly state: 'ok' | 'fail' | 'info';
  readonly words: string;
}

export const ok = (check: string, words: string): Finding => ({ check, state: 'ok', words });
export const fail = (check: string, words: string): Finding => ({ check, state: 'fail', words });
export const info = (check: string, words: string): Finding => ({ check, state: 'info', words });
