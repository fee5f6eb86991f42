import { cell } from './cell.ts';

const themes = ['system', 'light', 'dark'] as const;
const zones = ['local', 'utc'] as const;

export type Theme = (typeof themes)[number];
export type Zone = (typeof zones)[number];

const kept = <T extends string>(name: string, known: readonly [T, ...T[]]): T =>
  known.find(one => one === localStorage.getItem(name)) ?? known[0];

/** Light or dark, and whose time is shown: a person's own choice, kept in this browser. */
export const theme = cell<Theme>(kept('theme', themes));
export const zone = cell<Zone>(kept('zone', zones));

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

export const isDark = (): boolean =>
  theme.value === 'system' ? systemIsDark.matches : theme.value === 'dark';

const show = (): void => {
  document.body.classList.toggle('awsui-dark-mode', isDark());
  document.documentElement.style.colorScheme = isDark() ? 'dark' : 'light';
};

/** Shows the page light or dark, and follows the system. */
export const followTheme = (): void => {
  show();
  systemIsDark.addEventListener('change', show);
  theme.subscribe(chosen => {
    localStorage.setItem('theme', chosen);
    show();
  });
  zone.subscribe(chosen => localStorage.setItem('zone', chosen));
};
