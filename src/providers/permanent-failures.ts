/** The connection failures that retries do not solve, with advice for the user. */
import type { ModelErrorKind } from '../core/model/model.ts';

export type Lasting = {
  kind: ModelErrorKind;
  /** The failure, as a phrase that follows the server's name. */
  happened: string;
  todo: string;
  /** The maximum number of attempts, including the first one. */
  tries: number;
};

const AUTHORITY = 'set NODE_EXTRA_CA_CERTS to the file of its certificate authority, or correct the base URL';

/** Matched against the error's code and message, since runtimes report different details. The first match applies. */
const LASTING: readonly [pattern: RegExp, happened: string, todo: string, kind?: ModelErrorKind, tries?: number][] = [
  [
    /CERT_HAS_EXPIRED|ERR_CERT_DATE/,
    'has a certificate that has expired',
    'renew the certificate on the server, or correct the clock of this computer',
  ],
  [/CERT_NOT_YET_VALID/, 'has a certificate that is not valid yet', 'correct the clock of this computer'],
  [/ALTNAME_INVALID|CERT_COMMON_NAME/, 'has a certificate for another host name', 'use a host name from the certificate in the base URL'],
  [/SELF_SIGNED_CERT|ERR_CERT_AUTHORITY/, 'has a certificate that this computer does not trust', AUTHORITY],
  [
    /UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_(UNTRUSTED|CHAIN|REVOKED|REJECTED|SIGNATURE)|INVALID_CA|\bERR_CERT_/,
    'has a certificate that this computer does not trust',
    AUTHORITY,
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|\bEPROTO\b|\bERR_SSL_/,
    'did not answer with valid TLS',
    'correct the port in the base URL, or use http:// instead of https://',
  ],
  [
    /\bHPE_|Parse Error|Response does not match the HTTP/,
    'did not answer with valid HTTP',
    'correct the port in the base URL, or use https:// instead of http://',
  ],
  [/redirect count exceeded|TOO_MANY_REDIRECTS|redirect mode is set to error/i, 'redirects endlessly', 'correct the base URL'],
  [
    /\bbad port\b|ERR_SOCKET_BAD_PORT|ERR_UNSAFE_PORT/i,
    'could not be reached',
    'configure the server to use another port, because clients block this port',
  ],
  [/ERR_INVALID_URL|Invalid URL|Failed to parse URL/i, 'has an invalid address', 'correct the base URL'],
  [
    /unknown scheme|URL scheme must|ERR_INVALID_PROTOCOL|unsupported protocol/i,
    'has an address that is not http or https, or redirects to one',
    'correct the base URL',
  ],
  [/ERR_INVALID_CHAR|invalid header|UND_ERR_INVALID_ARG/i, 'cannot receive the configured headers', 'correct the headers in the settings'],
  [
    /\bZ_[A-Z]+_ERROR|incorrect header check|Decompression failed|ERR__ERROR_FORMAT|\bERR_ZSTD|ERR_CONTENT_DECODING/i,
    'sent an answer that cannot be decompressed',
    'correct the content-encoding header of the server or its proxy',
    'bad_stream',
  ],
  // After waking from sleep, a computer cannot resolve names for a moment.
  [/ENOTFOUND|ERR_NAME_NOT_RESOLVED/, 'could not be found', 'check the base URL and the network', 'network', 2],
];

export function lastingFailure(detail: string): Lasting | undefined {
  for (const [pattern, happened, todo, kind = 'network', tries = 1] of LASTING)
    if (pattern.test(detail)) return { kind, happened, todo, tries };
  return undefined;
}
