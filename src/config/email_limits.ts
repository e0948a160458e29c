/** Bounds of email validation. */
export const EMAIL_LIMITS = {
  // A call.
  validateEmailsMaxDefault: 1_000,
  validateEmailsMaxCeiling: 10_000,
  /** Addresses between two looks at the clock. */
  addressesUntimed: 16,
  validateStagesMax: 16,
  validateTimeoutMsMin: 100,
  validateTimeoutMsDefault: 5_000,
  validateTimeoutMsMax: 60_000,

  // An address.
  addressInputOctetsMax: 1_024,
  addressOctetsMax: 254,
  localOctetsMax: 64,
  domainOctetsMax: 253,
  labelOctetsMax: 63,

  // DNS.
  dnsUdpPayloadBytes: 1_232,
  dnsReceiveBufferBytes: 1_048_576,
  dnsLanes: 8,
  dnsLaneQueriesMax: 1_024,
  /** Queries that one resolver may not have read yet: less than its receive buffer holds by default. */
  dnsYoungQueriesMax: 192,
  dnsYoungMs: 20,
  dnsResendMs: 400,
  dnsSweepMs: 20,
  dnsTryMs: 800,
  dnsSecondTryMs: 1_600,
  /** Before a call looks up once more what no resolver answered in its two tries: until that is remembered no longer. */
  dnsSlowWaitMs: 1_050,
  dnsServerDownMs: 2_000,
  /** Between two tries of a call whose resolvers went away in its midst, and how many in a row may find them gone still. */
  dnsOutageWaitMs: 2_250,
  dnsOutageTriesMax: 2,
  dnsAliveMs: 2_000,
  dnsServersMax: 4,
  dnsAliasesMax: 8,
  /** Mail hosts of a domain, and addresses of a host, that are kept; the hosts are looked up in turn until one has an address. */
  dnsMailHostsMax: 20,
  dnsPolicyCharactersMax: 512,
  dnsTtlSMin: 5,
  dnsTtlSMax: 86_400,
  dnsNegativeTtlSMax: 3_600,
  dnsFailureMsMin: 1_000,
  dnsFailureMsMax: 300_000,
  dnsStaleMsSoft: 30_000,
  dnsStaleMsMax: 3_600_000,
  /** Of a call, but for those without an answer for as long as a try lasts: these hold up nobody. */
  dnsDomainsAtOnceMax: 256,

  // What is kept.
  /** How long the addresses of this machine, where no mail is carried to, are taken for all it has. */
  ownAddressesKeptMs: 60_000,
  mailDomainsCachedMax: 100_000,
  mailAddressesCachedMax: 50_000,
  domainProfilesCachedMax: 50_000,
  /** Texts of results less their local part, of about 1 kB each. */
  resultTemplatesBytesMax: 64 * 1_048_576,
  /** Beside its bytes: what the objects around them take, about. */
  resultTemplateExtraBytes: 1_024,
  mailboxesCachedMax: 200_000,
  verdictTtlMsMax: 86_400_000,
  mailboxTtlMsMax: 3_600_000,
  catchAllTtlMsMin: 60_000,
  catchAllTtlMsMax: 3_600_000,
  greylistAgainMs: 300_000,

  // Lists.
  listsPollMs: 10_000,
  listFileBytesMax: 64 * 1_048_576,

  // Mail hosts.
  smtpPort: 25,
  /** Mail hosts that one call asks at the same time, each of all its domains. */
  smtpHostsAtOnceMax: 256,
  smtpSessionBytesMax: 256 * 1_024,
  smtpLineBytesMax: 2_048,
  smtpReplyLinesMax: 64,
  smtpReplyCharactersRead: 1_024,
  smtpAddressesMax: 2,
  smtpHostsTriedMax: 3,
  smtpConnectMs: 5_000,
  /** Given up earlier for want of the caller's time, a connection says nothing of the host. */
  smtpConnectMsFair: 500,
  smtpStepMs: 10_000,
  smtpSessionMs: 15_000,
  /** Beyond the time of its callers, for random names: Exchange makes who names nobody wait five seconds for the refusal, which is as long as a call has by default. */
  smtpOvertimeMs: 2_000,
  /** So long before a caller's deadline what is known of its mailbox is handed over. */
  smtpReserveMs: 50,
  /** At least so long after it was heard. */
  smtpDoubtMs: 15,
  smtpQuitMs: 1_000,
  /** Between two looks whether anybody waits for a session still. */
  smtpLookMs: 100,
  smtpRecipientsMax: 20,
  /** Recipients refused in a session, random ones too, before the others go in another: Postfix makes whoever has erred ten times wait a second for each further word, and sends him away after twenty. */
  smtpRefusalsMax: 9,
  /**
   * Of them in a transaction: Exim by a rule of its wiki, which many copy, hangs up over a fifth. No more are on their way at once: Sendmail hands no reply over while it has words to
   * read, and where it makes whoever has erred wait a second for each further word, what it said of the first would come too late.
   */
  smtpTransactionRefusalsMax: 4,
  /** Of transactions of a session: Exim sends away whoever does more than eleven. */
  smtpResetsMax: 10,
  smtpQueueMax: 1_000,
  smtpCoolMs: 60_000,
  smtpSessionsBurst: 5,
  smtpSessionEveryMs: 1_000,
  smtpHostsMax: 10_000,

  // Another validator.
  backendBytesMax: 262_144,
  backendCallsMax: 16,
  /** Between two looks whether anybody waits for a call still, and has the time. */
  backendLookMs: 50,
  backendFailuresMax: 3,
  backendOpenMs: 5_000,
} as const;
