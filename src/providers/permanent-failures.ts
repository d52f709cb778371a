/** Connection failures that a retry does not solve, with advice for the user. */
import type { ModelErrorKind } from '../core/model/model.ts';

export type Lasting = {
  kind: ModelErrorKind;
  /** What happened, as a phrase that follows the server's name. */
  happened: string;
  todo: string;
  /** How many attempts make sense in total. */
  tries: number;
};

const AUTHORITY = 'have Node trust its authority with NODE_EXTRA_CA_CERTS, or correct the base URL';

/** Matched against the error's code and message, since runtimes report different details. The first match counts. */
const LASTING: readonly [pattern: RegExp, happened: string, todo: string, kind?: ModelErrorKind, tries?: number][] = [
  [/CERT_HAS_EXPIRED|ERR_CERT_DATE/, 'has a certificate that has expired', 'renew it there, or set the clock of this machine right'],
  [/CERT_NOT_YET_VALID/, 'has a certificate that is not valid yet', 'set the clock of this machine right'],
  [/ALTNAME_INVALID|CERT_COMMON_NAME/, 'has a certificate for another name', 'give the name in the base URL that the certificate is for'],
  [/SELF_SIGNED_CERT|ERR_CERT_AUTHORITY/, 'has a certificate that this machine does not trust', AUTHORITY],
  [
    /UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_(UNTRUSTED|CHAIN|REVOKED|REJECTED|SIGNATURE)|INVALID_CA|\bERR_CERT_/,
    'has a certificate that this machine does not trust',
    AUTHORITY,
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|\bEPROTO\b|\bERR_SSL_/,
    'does not speak TLS as it has to',
    'write http:// for https:// in the base URL, or correct its port',
  ],
  [/\bHPE_|Parse Error|Response does not match the HTTP/, 'does not speak HTTP', 'correct the base URL: its port, or http:// for https://'],
  [/redirect count exceeded|TOO_MANY_REDIRECTS|redirect mode is set to error/i, 'redirects without an end', 'correct the base URL'],
  [
    /\bbad port\b|ERR_SOCKET_BAD_PORT|ERR_UNSAFE_PORT/i,
    'could not be reached',
    'have the server listen at another port, for programs refuse this one',
  ],
  [/ERR_INVALID_URL|Invalid URL|Failed to parse URL/i, 'has an address that cannot be read', 'correct the base URL'],
  [
    /unknown scheme|URL scheme must|ERR_INVALID_PROTOCOL|unsupported protocol/i,
    'leads to an address that is not http or https',
    'correct the base URL',
  ],
  [/ERR_INVALID_CHAR|invalid header|UND_ERR_INVALID_ARG/i, 'cannot be asked with these headers', 'correct the headers in the settings'],
  [
    /\bZ_[A-Z]+_ERROR|incorrect header check|Decompression failed|ERR__ERROR_FORMAT|\bERR_ZSTD|ERR_CONTENT_DECODING/i,
    'sent an answer that cannot be unpacked',
    'have the server, or the proxy before it, say the right content-encoding',
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
