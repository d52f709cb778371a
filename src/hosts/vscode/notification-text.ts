/**
 * Returns a text without links, for a notification, dialog or input box. In these places, VS Code turns `[…](…)` into a link, which can run
 * a command. Titles, paths and reasons can contain text from a model or an imported session. A space between the brackets prevents the
 * link.
 */
export function notificationText(text: string): string {
  return text.replaceAll('](', '] (');
}
