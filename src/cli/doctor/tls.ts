/** What to do about a TLS connection that did not come about, by OpenSSL's code or words for it; the first that fits. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/CERT_HAS_EXPIRED|certificate has expired/, 'its certificate has expired: renew it there, or set the clock of this machine'],
  [/CERT_NOT_YET_VALID|certificate is not yet valid/, 'its certificate is not valid yet: set the clock of this machine, or that of who made it'],
  [/ERR_TLS_CERT_ALTNAME_INVALID|match certificate's altnames/, 'name it by a host that its certificate is for, or give it a certificate for this one'],
  [
    /SELF_SIGNED_CERT|self-signed certificate|UNABLE_TO_(?:VERIFY|GET_ISSUER)|unable to (?:verify|get (?:local )?issuer)/,
    'where its certificate is of an authority of your own, name the file of that in NODE_EXTRA_CA_CERTS (PostgreSQL: or as sslrootcert in the url); else have it send the whole chain',
  ],
  [
    /alert (?:unknown ca|bad certificate|certificate (?:expired|required|revoked|unknown))|requires a valid client certificate|key values mismatch/,
    'it asks for a certificate of whoever connects: PostgreSQL is shown the one that sslcert and sslkey in the url name, of an authority that it knows; other servers are shown none',
  ],
  [
    /(?:certificate key|digest algorithm) too weak|(?:dh|ee|ca) key too small|ca md too weak/,
    'Node takes nothing as weak, a newer one less than an older one: have keys of RSA and DH of 2048 bits or more there, and certificates signed with SHA-256',
  ],
  [/no pg_hba\.conf entry .* no encryption|08P01 SSL required/, 'where it lets nobody in without TLS, add sslmode=verify-full to the url; else have its pg_hba.conf let this host and user in'],
  [/ERR_SSL_WRONG_VERSION_NUMBER|wrong version number|does not support SSL connections/, 'it speaks no TLS there: switch TLS on, name its port for TLS, or take TLS out of the url'],
];

/** Null where something else is wrong. */
export function tlsRemedy(reason: string): string | null {
  return REMEDIES.find(([reasons]) => reasons.test(reason))?.[1] ?? null;
}
