import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/ports.ts';
import { missing } from '../../support/servers/debian.ts';

const DAEMONS = '/usr/lib/postfix/sbin';

/** Postfix changes users, so it needs root; the tests that need it say so and are skipped without. */
export const POSTFIX_MISSING = missing('postfix', process.getuid?.() === 0 && existsSync(`${DAEMONS}/master`));

export const SHARED_DOMAINS: readonly string[] = Array.from({ length: 20 }, (_, index) => `shop${index}.com`);

export type RealMailHost = {
  readonly port: number;
  /** The recipients that each session so far has named, as its log tells them; waits until all sessions have ended. */
  recipients(): Promise<readonly number[]>;
  stop(): Promise<void>;
};

/** A real mail host: `jane@acme.com` exists, and Jane at each of `SHARED_DOMAINS`, `any.com` takes any name, so does `one.com` but of a bounce one alone, and some recipients are answered as their names say. */
export async function startPostfix(): Promise<RealMailHost> {
  const folder = mkdtempSync(join(tmpdir(), 'lds-postfix-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  for (const name of ['spool', 'data', 'etc']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'etc', 'main.cf'), `
compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = ${DAEMONS}
mail_owner = postfix
setgid_group = postdrop
myhostname = mx.acme.com
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks =
mydestination =
alias_maps =
local_recipient_maps =
maillog_file = ${folder}/log
maillog_file_prefixes = ${tmpdir()}
virtual_mailbox_domains = acme.com, any.com, one.com, ${SHARED_DOMAINS.join(', ')}
virtual_mailbox_maps = inline:{ { jane@acme.com = x } { joe@acme.com = x } { grey@acme.com = x } { full@acme.com = x } { off@acme.com = x } { j\u00f6rg@acme.com = x } { @any.com = x } { @one.com = x } ${SHARED_DOMAINS.map((domain) => `{ jane@${domain} = x }`).join(' ')} }
smtpd_recipient_restrictions = check_recipient_access inline:{ { grey@acme.com = 450 4.7.1 Greylisted } { full@acme.com = 452 4.2.2 Mailbox full } { off@acme.com = 550 5.2.1 Account disabled } { one.com = reject_multi_recipient_bounce } }, reject_unauth_destination
smtputf8_enable = yes
# No queue manager runs that would say how much of the mail has left.
in_flow_delay = 0
`);
  const services = [
    `127.0.0.1:${port} inet n - n - - smtpd`, 'cleanup unix n - n - 0 cleanup', 'postlog unix-dgram n - n - 1 postlogd',
    'rewrite unix - - n - - trivial-rewrite', 'proxymap unix - - n - - proxymap', 'anvil unix - - n - 1 anvil', 'bounce unix - - n - 0 bounce',
  ];
  writeFileSync(join(folder, 'etc', 'master.cf'), `${services.join('\n')}\n`);
  execFileSync('chown', ['postfix', join(folder, 'data')]);
  spawnSync('postfix', ['-c', join(folder, 'etc'), 'check'], { stdio: 'ignore' });
  const master = spawn(`${DAEMONS}/master`, ['-c', join(folder, 'etc'), '-d'], { stdio: 'ignore', detached: true });
  master.unref();
  const ended = new Promise<void>((resolve) => { master.once('exit', () => resolve()); });
  process.once('exit', () => master.kill());
  await answering(port);
  return {
    port,
    async recipients() {
      for (let tries = 0; ; tries++) {
        const lines = readFileSync(join(folder, 'log'), 'utf8').split('\n');
        const begun = lines.filter((line) => line.includes(': connect from')).length;
        const ended = lines.filter((line) => line.includes(': disconnect from'));
        // `rcpt=17/20`: of twenty seventeen were taken.
        if (begun === ended.length) return ended.map((line) => Number(/ rcpt=(?:\d+\/)?(\d+)/.exec(line)?.[1] ?? 0)).filter((named) => named > 0);
        if (tries === 200) throw new Error('a session has not ended');
        await sleep(50);
      }
    },
    async stop() {
      master.ref();
      master.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const banner = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', () => { socket.destroy(); resolve(true); });
      socket.once('error', () => resolve(false));
    });
    if (banner) return;
    await sleep(50);
  }
  throw new Error('Postfix does not answer');
}
