/** In a header `${key}` stands for the provider's key, for gateways that want it elsewhere: so whatever holds headers holds no key. */
export function filledHeaders(headers: Readonly<Record<string, string>>, apiKey = ''): Record<string, string> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what the user writes
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll('${key}', () => apiKey)]));
}
