import type { Fetcher } from '../../../tools/network/fetch-url.ts';
import { isPrivateHost } from './address.ts';

/** Returns a fetcher whose code is loaded with the first page. */
export function lazyFetcher(): Fetcher {
  let loading: Promise<Fetcher> | undefined;
  return {
    isPrivate: isPrivateHost,
    async get(...request) {
      loading ??= import('./fetch.ts').then(({ PageFetcher }) => new PageFetcher());
      return (await loading).get(...request);
    },
  };
}
