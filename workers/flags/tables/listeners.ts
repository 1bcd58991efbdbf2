/** Flags of what clients connect to: addresses, ports, and the certificate that is shown to them. */

import { file, flag, integer, list, port, text } from '../flag.ts'

export const listenerFlags = {
  'bind-address': flag({
    group: 'Listeners',
    kind: text,
    default: '0.0.0.0',
    help: 'Address of the TLS listener: 0.0.0.0 is all IPv4 addresses of this machine, :: all of both kinds.',
  }),
  'secure-port': flag({
    group: 'Listeners',
    kind: port,
    default: '6443',
    help: 'Port of the TLS listener; 0 takes one that is free.',
  }),
  'http-port': flag({
    group: 'Listeners',
    kind: port,
    default: undefined,
    defaultHelp: 'none: no plaintext',
    help: 'Port of a plaintext listener on 127.0.0.1, for a TLS terminator or a test on this machine. It asks for a bearer token as the other does; 0 takes one that is free.',
  }),
  'http2-max-streams-per-connection': flag({
    group: 'Listeners',
    kind: integer(1, 100_000),
    default: '100',
    help: 'Requests and watches at a time that a client may have on one HTTP/2 connection; it opens another for more.',
  }),
  'advertise-address': flag({
    group: 'Listeners',
    kind: text,
    default: undefined,
    defaultHelp: 'the bind address, else an address of this machine',
    help: 'Address under which others reach this server; discovery names it.',
  }),
  'external-hostname': flag({
    group: 'Listeners',
    kind: text,
    default: undefined,
    help: 'Host name for links to this server; the serving certificate is made good for it.',
  }),
  'tls-cert-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    defaultHelp: 'made in the data directory',
    help: 'Serving certificate in PEM form, followed by its chain. Needs --tls-private-key-file.',
  }),
  'tls-private-key-file': flag({
    group: 'Certificates and tokens',
    kind: file,
    default: undefined,
    help: 'Private key of --tls-cert-file, in PEM form.',
  }),
  'tls-sans': flag({
    group: 'Certificates and tokens',
    kind: list,
    default: undefined,
    help: 'More names and addresses for the serving certificate that the server makes.',
  }),
} as const
