/** The server that a provider speaks to, and whether its configuration can be used. */
import { ModelError } from '../core/model/model.ts';
import type { ProviderConfig } from './types.ts';

/** Who is spoken to, for error messages; `secrets` are struck out of everything that is said about it. */
export type Server = { name: string; secrets: readonly string[] };

export function serverOf(vendor: string, config: ProviderConfig): Server {
  const secrets = [config.apiKey?.trim(), ...Object.values(config.headers ?? {}).flatMap((value) => [value, value.replace(/^\S+ /, '')])];
  let name = vendor;
  if (config.baseUrl && URL.canParse(config.baseUrl)) {
    const url = new URL(config.baseUrl);
    secrets.push(decodeURIComponent(url.password), ...url.searchParams.values());
    name = `${vendor} (${url.host})`;
  }
  return { name, secrets: secrets.filter((secret) => secret !== undefined && secret.length >= 4) as string[] };
}

/** A service needs a key; a server at an address of the user's own may do without. @throws ModelError */
export function checkConfig(vendor: string, { apiKey, baseUrl }: ProviderConfig): void {
  if (baseUrl && !(/^https?:/i.test(baseUrl) && URL.canParse(baseUrl))) {
    throw new ModelError('invalid_request', `The base URL of ${vendor} is not an http or https address: correct it in the settings.`);
  }
  if (apiKey && !/^[\x21-\x7e]*$/.test(apiKey.trim())) {
    throw new ModelError('auth', `The API key for ${vendor} has characters that no key has: copy it again into the settings.`);
  }
  if (!apiKey?.trim() && !baseUrl) {
    throw new ModelError('auth', `There is no API key for ${vendor}: set one in the settings or choose another provider.`);
  }
}
