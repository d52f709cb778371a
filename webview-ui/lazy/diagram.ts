/** Draws Mermaid diagrams as SVG. The module is loaded with the first diagram. */
import mermaid from 'mermaid';

let drawn = 0;

/** Resolves to an SVG image. @throws Error if `source` is not a diagram, or is a kind of diagram that is not drawn */
export async function draw(source: string): Promise<string> {
  if (/^\s*gantt\b/m.test(source) && /^\s*excludes\b/im.test(source))
    throw new Error('Mermaid goes through every day of a task to find excluded days, which can take minutes.');
  const look = themeColors();
  mermaid.initialize({
    startOnLoad: false,
    // The other layouts are not part of the package.
    layout: 'dagre',
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: 'base',
    // By default, boxes have a light shadow, which looks like a halo on a dark background.
    themeCSS: '* { filter: none !important; }',
    darkMode: look.isDark,
    fontFamily: look.font,
    // Browsers do not draw HTML inside an SVG image.
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    sequence: { useMaxWidth: false },
    // A diagram cannot change these settings.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'suppressErrorRendering',
      'maxEdges',
      'htmlLabels',
      'flowchart',
      'fontFamily',
      'themeCSS',
      'theme',
      'themeVariables',
      'darkMode',
      'layout',
      'look',
    ],
    themeVariables: {
      darkMode: look.isDark,
      background: look.background,
      primaryColor: look.background,
      primaryTextColor: look.foreground,
      primaryBorderColor: look.accent,
      secondaryColor: look.background,
      tertiaryColor: look.background,
      lineColor: look.foreground,
      textColor: look.foreground,
      noteBkgColor: look.background,
      noteTextColor: look.foreground,
      noteBorderColor: look.border,
      // By default, borders fade.
      useGradient: false,
      fontSize: '13px',
    },
  });
  drawn += 1;
  const { svg } = await mermaid.render(`kedge-diagram-${drawn}`, source);
  return svg;
}

/** Returns the colors of the theme that diagrams use. */
function themeColors() {
  const style = getComputedStyle(document.body);
  const variable = (name: string, fallback: string) => style.getPropertyValue(`--vscode-${name}`).trim() || fallback;
  const foreground = variable('foreground', style.color);
  const background = variable('editor-background', style.backgroundColor);
  return {
    isDark: brightness(background) < brightness(foreground),
    background,
    foreground,
    border: variable('widget-border', foreground),
    accent: variable('focusBorder', foreground),
    font: style.fontFamily.replaceAll('"', "'"),
  };
}

function brightness(color: string): number {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return 0;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return red + green + blue;
}
