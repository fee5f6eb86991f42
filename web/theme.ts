import { generateThemeStylesheet, type Theme } from '@cloudscape-design/components/theming';

const sans =
  "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const mono =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace";

/** The accent, petrol: normal, and stronger under the pointer. */
const accent = { light: '#08676f', dark: '#5cc8cf' };
const strong = { light: '#044b52', dark: '#8fdfe4' };
const tinted = { light: '#e9f5f5', dark: '#12292c' };
const onAccent = { light: '#ffffff', dark: '#06191b' };

const all = (value: typeof accent, names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, value]));

const theme: Theme = {
  tokens: {
    fontFamilyBase: sans,
    fontFamilyHeading: sans,
    fontFamilyDisplay: sans,
    fontFamilyMonospace: mono,
    borderRadiusContainer: '10px',
    borderRadiusButton: '6px',
    borderRadiusInput: '6px',
    borderRadiusAlert: '8px',
    borderRadiusFlashbar: '8px',
    ...all(accent, [
      'colorTextAccent',
      'colorTextInteractiveInvertedHover',
      'colorTextLinkDefault',
      'colorTextLinkSecondaryDefault',
      'colorTextLinkInfoDefault',
      'colorTextButtonNormalDefault',
      'colorBorderButtonNormalDefault',
      'colorTextButtonLinkDefault',
      'colorTextLinkButtonNormalDefault',
      'colorTextButtonInlineIconDefault',
      'colorBackgroundButtonPrimaryDefault',
      'colorBorderButtonPrimaryDefault',
      'colorBackgroundControlChecked',
      'colorBackgroundSegmentActive',
      'colorBorderSegmentActive',
      'colorBackgroundProgressBarValueDefault',
      'colorBorderItemFocused',
      'colorBorderInputFocused',
      'colorBorderItemSelected',
      'colorItemSelected',
      'colorTextSideNavigationItemActive',
      'colorTextDropdownItemFilterMatch',
      'colorTextExpandableSectionHover',
      'colorBackgroundLayoutToggleSelectedDefault',
      'colorTextToggleButtonNormalPressed',
      'colorBorderToggleButtonNormalPressed',
      'colorBackgroundNotificationBlue',
    ]),
    ...all(strong, [
      'colorTextLinkHover',
      'colorTextLinkSecondaryHover',
      'colorTextLinkInfoHover',
      'colorTextButtonNormalHover',
      'colorTextButtonNormalActive',
      'colorBorderButtonNormalHover',
      'colorBorderButtonNormalActive',
      'colorTextButtonLinkHover',
      'colorTextButtonLinkActive',
      'colorTextLinkButtonNormalHover',
      'colorTextLinkButtonNormalActive',
      'colorTextButtonInlineIconHover',
      'colorTextButtonInlineLinkHover',
      'colorBackgroundButtonPrimaryHover',
      'colorBackgroundButtonPrimaryActive',
      'colorBorderButtonPrimaryHover',
      'colorBorderButtonPrimaryActive',
      'colorTextSegmentHover',
      'colorBackgroundLayoutToggleSelectedHover',
      'colorBackgroundLayoutToggleSelectedActive',
    ]),
    ...all(tinted, [
      'colorBackgroundItemSelected',
      'colorBackgroundButtonNormalHover',
      'colorBackgroundButtonNormalActive',
      'colorBackgroundButtonLinkHover',
      'colorBackgroundButtonLinkActive',
      'colorBackgroundDropdownItemFilterMatch',
      'colorBackgroundToggleButtonNormalPressed',
      'colorBackgroundSideNavigationItemActive',
    ]),
    ...all(onAccent, [
      'colorTextButtonPrimaryDefault',
      'colorTextButtonPrimaryHover',
      'colorTextButtonPrimaryActive',
      'colorForegroundControlDefault',
      'colorTextSegmentActive',
    ]),
    colorBackgroundLayoutMain: { light: '#fbfcfc', dark: '#0f1516' },
    colorBackgroundContainerContent: { light: '#ffffff', dark: '#161d1e' },
    colorBackgroundContainerHeader: { light: '#ffffff', dark: '#161d1e' },
    colorBackgroundLayoutPanel: { light: '#ffffff', dark: '#161d1e' },
  },
  contexts: {
    'top-navigation': {
      tokens: {
        colorBackgroundContainerContent: '#0b2a2e',
        colorBorderDividerDefault: '#0b2a2e',
        colorTextTopNavigationTitle: '#ffffff',
        colorTextInteractiveDefault: '#dbe9ea',
        colorTextInteractiveHover: '#ffffff',
        colorTextInteractiveActive: '#ffffff',
        colorTextAccent: '#8fdfe4',
        colorBackgroundInputDefault: '#12383d',
        colorBorderInputDefault: '#47747a',
        colorTextInputPlaceholder: '#b5cccf',
        colorTextBodyDefault: '#f2f8f8',
      },
    },
  },
};

/**
 * The theme as a stylesheet: made when the pages are built, because the content security policy
 * lets no script write styles.
 */
export const stylesheet = (): string => generateThemeStylesheet({ theme });
