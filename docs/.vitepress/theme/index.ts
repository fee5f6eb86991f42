import type { Theme } from 'vitepress';
import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { nextTick, onMounted, watch } from 'vue';
import { ApiReference } from './api-reference.ts';
import './style.css';

/** The theme's first page, and its page for unknown URLs, have no main landmark. */
const markMain = async (): Promise<void> => {
  await nextTick();
  const content = document.getElementById('VPContent');
  if (content?.querySelector('main')) content.removeAttribute('role');
  else content?.setAttribute('role', 'main');
};

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    onMounted(markMain);
    watch(() => route.path, markMain);
  },
  enhanceApp: ({ app }) => void app.component('ApiReference', ApiReference),
} satisfies Theme;
