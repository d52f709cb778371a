/** The server that a provider sends its requests to, and the check of its configuration. */
import { ModelError } from '../core/model/model.ts';
import type { ProviderConfig } from './types.ts';

/** The name of a server as error messages show it. `secrets` are removed from every message about the server. */
export type Server = { name: string; secrets: readonly string[] } & Pick<ProviderConfig, 'usesFetch'>;

export function serverOf(vendor: string, config: ProviderConfig): Server {
  const secrets = [config.apiKey?.trim(), ...Object.values(config.headers ?? {}).flatMap((value) => [value, value.replace(/^\S+ /, '')])];
  let name = vendor;
  if (config.baseUrl && URL.canParse(config.baseUrl)) {
    const url = new URL(config.baseUrl);
    secrets.push(decodeURIComponent(url.password), ...url.searchParams.values());
    name = `${vendor} (${url.host})`;
  }
  const { usesFetch = false } = config;
  return { name, secrets: secrets.filter((secret) => secret !== undefined && secret.length >= 4) as string[], usesFetch };
}

/** A service needs an API key; a server with a base URL from the settings may not need one. @throws ModelError */
export function checkConfig(vendor: string, { apiKey, baseUrl }: ProviderConfig): void {
  if (baseUrl && !(/^https?:/i.test(baseUrl) && URL.canParse(baseUrl))) {
    throw new ModelError('invalid_request', `The base URL of ${vendor} is not an http or https address: correct it in the settings.`);
  }
  if (apiKey && !/^[\x21-\x7e]*$/.test(apiKey.trim())) {
    throw new ModelError(
      'auth',
      `The API key for ${vendor} contains characters that are not allowed in a key: enter the key again in the settings.`,
    );
  }
  if (!apiKey?.trim() && !baseUrl) {
    throw new ModelError('auth', `There is no API key for ${vendor}: enter a key in the settings or choose another provider.`);
  }
}
