import { disposableEmailBlocklist } from 'disposable-email-domains-js';
import mailchecker from 'mailchecker';

/** Throw-away providers, curated. */
export function curatedDisposables(): readonly string[] {
  return disposableEmailBlocklist();
}

/** A wider collection; it names alias services, big providers and their misspellings too. */
export function collectedDisposables(): Iterable<string> {
  return mailchecker.blacklist();
}
