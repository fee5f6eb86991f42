import type { ComponentChildren } from 'preact';
import { addressOf, path } from './address.ts';

/** The pages that the navigation leads to, in its order. */
const places = [
  { to: '/skills', name: 'Skills' },
  { to: '/skills/check', name: 'Check a file' },
] as const;

const isAt = (to: string): boolean =>
  path.value === to || (path.value.startsWith(`${to}/`) && !places.some(one => one.to === path.value));

const Place = ({ to, name }: (typeof places)[number]) => (
  <li>
    <a href={addressOf(to)} {...(isAt(to) ? { 'aria-current': 'page' as const } : {})}>
      {name}
    </a>
  </li>
);

/** What every page has around it. */
export const Frame = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    <a class="skip" href="#content">
      Skip to the content
    </a>
    <header class="top">
      <a class="brand" href={addressOf('/')}>
        som-bus
      </a>
      <nav aria-label="Portal">
        <ul>
          {places.map(place => (
            <Place key={place.to} {...place} />
          ))}
          <li>
            <a href={addressOf('/docs')} target="_self">
              API
            </a>
          </li>
        </ul>
      </nav>
    </header>
    <main id="content">{children}</main>
  </>
);
