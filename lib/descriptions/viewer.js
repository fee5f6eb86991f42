// Runs in the browser, after Swagger UI: scripts/generated/viewer.ts puts both into one script.

/** Dark header names would be unreadable. The rest is of use only to those who can send requests. */
const styles = `
  .dark-mode .swagger-ui .header-col { color: inherit; }
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
