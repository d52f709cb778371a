/**
 * Replaces `${key}` in header values with the API key, for gateways that expect it in another header. Settings therefore never contain the
 * key itself.
 */
export function filledHeaders(headers: Readonly<Record<string, string>>, apiKey = ''): Record<string, string> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: users write this placeholder in settings
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll('${key}', () => apiKey)]));
}
