// Runs in the browser, after Swagger UI: scripts/generated/viewer.ts puts both into one script.

/** Dark names would be unreadable, and tables wider than a phone. What is hidden is of use only to those who can send requests. */
const styles = `
  .dark-mode .swagger-ui :is(.header-col, .examples-select__section-label) { color: #e4e6e6; }
  @media (max-width: 640px) {
    .swagger-ui :is(.responses-table, .headers) { table-layout: fixed; overflow-wrap: anywhere; }
    .swagger-ui .responses-table > * > tr > :first-child { width: 3rem; padding-right: 0.5rem; }
    .swagger-ui .headers tr > :first-child { width: 5rem; }
    .swagger-ui .headers tr > :last-child { width: 3.5rem; }
    .swagger-ui .headers .header-col { padding-right: 0.5rem; }
    .swagger-ui .response-controls { flex-wrap: wrap; }
    .swagger-ui select { max-width: 100%; }
    .swagger-ui .responses-inner { padding-inline: 0.5rem; }
  }
  .swagger-ui :is(.response-col_links, .response-control-media-type__accept-message, .parameters-col_description :disabled) {
    display: none;
  }
`;

/** Swagger UI has a dark appearance, but leaves it to a class. */
const followColourScheme = () => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
};

const nothing = () => () => null;

/** Shows descriptions, one below the other, in `main`. */
globalThis.showDescriptions = (descriptions, settings) => {
  document.head.append(Object.assign(document.createElement('style'), { textContent: styles }));
  followColourScheme();
  for (const spec of descriptions) {
    const domNode = document.createElement('section');
    domNode.setAttribute('aria-label', spec.info.title);
    document.querySelector('main').append(domNode);
    globalThis.SwaggerUIBundle({
      ...settings,
      domNode,
      spec,
      // Nothing can be sent from this page, so there is nobody to authorise.
      plugins: [{ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }],
    });
  }
};
