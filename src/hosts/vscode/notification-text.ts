/**
 * Returns a text without links, for a notification, dialog or input box. There, VS Code turns `[…](…)` into a link, which can run a
 * command, and titles, paths and reasons can contain words from a model or an imported session. A space between the brackets prevents the
 * link.
 */
export function notificationText(text: string): string {
  return text.replaceAll('](', '] (');
}
