import { useData, withBase } from 'vitepress';
import { defineComponent, h, onMounted, ref, watchEffect } from 'vue';

/** No "send" button, because the bus takes no requests from browsers, and no choice of another server. */
const settings = {
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: [],
  validatorUrl: null,
};

const nothing = () => () => null;

/** Nothing can be sent from this page, so there is nobody to authorise. */
const plugins = [{ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }];

const viewerFile = (name: string): string =>
  withBase(`/files/node_modules/swagger-ui-dist/${name}`);

/** Adds an element to the page's head; resolves when what it names is loaded. */
const load = (element: HTMLLinkElement | HTMLScriptElement): Promise<unknown> =>
  new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = reject;
    document.head.append(element);
  });

/** Shows what this bus says about its APIs, one below the other. */
const show = async (place: HTMLElement): Promise<void> => {
  const [response] = await Promise.all([
    fetch(withBase('/descriptions.json')),
    load(
      Object.assign(document.createElement('link'), {
        rel: 'stylesheet',
        href: viewerFile('swagger-ui.css'),
      }),
    ),
    load(
      Object.assign(document.createElement('script'), { src: viewerFile('swagger-ui-bundle.js') }),
    ),
  ]);
  for (const spec of await response.json()) {
    const domNode = document.createElement('section');
    domNode.setAttribute('aria-label', spec.info.title);
    place.append(domNode);
    Reflect.get(globalThis, 'SwaggerUIBundle')({ ...settings, plugins, domNode, spec });
  }
};

export const ApiReference = defineComponent({
  setup() {
    const { isDark } = useData();
    const place = ref<HTMLElement>();
    const failure = ref('');
    onMounted(async () => {
      // Swagger UI has a dark appearance, but leaves it to a class.
      watchEffect(() => document.documentElement.classList.toggle('dark-mode', isDark.value));
      await show(place.value as HTMLElement).catch(() => {
        failure.value = 'The descriptions could not be loaded. A running bus has them.';
      });
    });
    return () => [
      failure.value && h('p', { role: 'alert' }, failure.value),
      h('div', { ref: place }),
    ];
  },
});
