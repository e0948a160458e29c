import { createSocket, type Socket } from 'node:dgram';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { decode, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE, type Answer, type Packet } from 'dns-packet';

/** What a scripted server does with one question. `null`: it keeps silent. */
export type Act = {
  readonly answers?: readonly Answer[];
  readonly authorities?: readonly Answer[];
  readonly rcode?: number;
  readonly truncated?: boolean;
  /** Changes the packet before it is sent. */
  readonly forge?: (packet: Packet) => Packet;
  readonly raw?: Buffer;
  readonly delayMs?: number;
  /** Hangs up instead, over TCP. */
  readonly hangsUp?: boolean;
} | null;

export type Asked = { readonly name: string; readonly type: string; readonly over: 'udp' | 'tcp'; readonly edns: boolean; readonly id: number; readonly port: number };

export type ScriptedDns = { readonly address: string; readonly asked: readonly Asked[]; close(): Promise<void> };

/** A name server over UDP and TCP on loopback that answers as its script says. Names come to the script in lower case. */
export async function scriptDns(script: (asked: Asked) => Act): Promise<ScriptedDns> {
  const asked: Asked[] = [];
  let closed = false;
  const answer = (bytes: Buffer, over: 'udp' | 'tcp', port: number, send: (bytes: Buffer) => void, hangUp?: () => void): void => {
    const query = decode(bytes);
    const question = query.questions![0]!;
    const one: Asked = { name: question.name.toLowerCase(), type: question.type, over, edns: (query.additionals ?? []).length > 0, id: query.id!, port };
    asked.push(one);
    const act = script(one);
    if (act === null) return;
    if (act.hangsUp === true && over === 'tcp') return hangUp?.();
    const packet: Packet = {
      type: 'response', id: query.id!, flags: RECURSION_DESIRED | (act.rcode ?? 0) | (act.truncated === true && over === 'udp' ? TRUNCATED_RESPONSE : 0),
      questions: query.questions!, answers: [...act.answers ?? []], authorities: [...act.authorities ?? []],
    };
    const reply = act.raw ?? encode(act.forge === undefined ? packet : act.forge(packet));
    if (act.delayMs === undefined) send(reply);
    else setTimeout(() => send(reply), act.delayMs);
  };
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes) => answer(bytes.subarray(2), 'tcp', socket.remotePort!, (reply) => {
      const framed = Buffer.alloc(reply.length + 2);
      framed.writeUInt16BE(reply.length);
      reply.copy(framed, 2);
      socket.write(framed.subarray(0, 5));
      setTimeout(() => socket.write(framed.subarray(5)), 5);
    }, () => socket.destroy()));
  });
  const udp = await onOnePort(tcp);
  const { port } = tcp.address() as AddressInfo;
  udp.on('message', (bytes, peer) => answer(bytes, 'udp', peer.port, (reply) => { if (!closed) udp.send(reply, peer.port, peer.address); }));
  return {
    address: `127.0.0.1:${port}`,
    asked,
    async close() {
      closed = true;
      await new Promise<void>((resolve) => { udp.close(resolve); });
      await new Promise((resolve) => { tcp.close(resolve); });
    },
  };
}

/** A port that is free for connections may be taken for datagrams, by whoever asks some other server just then: another one is tried. */
async function onOnePort(tcp: Server): Promise<Socket> {
  for (;;) {
    await new Promise<void>((resolve) => { tcp.listen(0, '127.0.0.1', resolve); });
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket('udp4');
    const isBound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false));
      udp.bind(port, '127.0.0.1', () => resolve(true));
    });
    if (isBound) return udp;
    udp.close();
    await new Promise((resolve) => { tcp.close(resolve); });
  }
}

export const mx = (name: string, exchange: string, ttl = 60, preference = 10): Answer => ({ type: 'MX', name, ttl, data: { exchange, preference } });
export const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, ttl, data });
export const soa = (name: string, minimum = 60, ttl = 60): Answer =>
  ({ type: 'SOA', name, ttl, data: { mname: 'ns', rname: 'host', serial: 1, refresh: 1, retry: 1, expire: 1, minimum } });
