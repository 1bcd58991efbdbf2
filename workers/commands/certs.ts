/**
 * `certs …`: what the nodes of a cluster must have in common, made in one place and copied to them. File names are those
 * that kubeadm uses.
 *
 *     <cert-dir>/ca.crt, ca.key             vouches for servers to clients, and for clients to servers
 *     <cert-dir>/peer-ca.crt, peer-ca.key   vouches for members to each other, and for nobody else
 *     <cert-dir>/sa.key, sa.pub             signs service account tokens: the same on all nodes
 *     <cert-dir>/admin.crt, admin.key       the administrator
 *     <cert-dir>/<node>/                    all that one node needs: apiserver.*, peer.*, and copies of ca.crt,
 *                                           peer-ca.crt, sa.key and sa.pub
 */

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createNames } from '../../src/names/names.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { memberNamePattern } from '../../store/peers/address.ts'
import { readIfPresent, writeAtomically } from '../pki/atomic-file.ts'
import { createIssuer, type KeyPair, type Validity } from '../pki/issue.ts'
import { renderKubeconfig } from '../pki/kubeconfig.ts'
import { filesOfPair, readPair } from '../pki/pair-files.ts'
import { adminOf } from '../pki/pki.ts'
import { isCertifiable } from '../pki/serving-names.ts'
import { type CommandEnd, type CommandSurroundings, done, failed, misused } from './io.ts'
import type { CommandLineOf } from './table.ts'

type CertsCommand = CommandLineOf<'certs init' | 'certs node' | 'certs kubeconfig'>

const dayMs = 86_400_000
const authorityMs = 3_652 * dayMs
/** Clocks of others may be behind. */
const backdateMs = 3_600_000
/** Names that clients inside of the cluster use; both dialects, so that one certificate serves either. */
const products = [createNames('cluster').product, createNames('kubernetes').product]

/** `certs init` keeps what is there already; `certs node` and `certs kubeconfig` write anew. */
export async function makeCertificates(
  command: CertsCommand,
  { nowMs }: Pick<CommandSurroundings, 'nowMs'>,
): Promise<CommandEnd> {
  const directory = resolve(command.values['cert-dir'] ?? 'pki')
  const validity = {
    fromMs: nowMs - backdateMs,
    untilMs: nowMs + (command.values.validity ?? 2 * 365 * dayMs),
  }
  try {
    switch (command.name) {
      case 'certs init':
        return await init(directory, validity)
      case 'certs node':
        return await node(directory, validity, command.values)
      case 'certs kubeconfig':
        return await kubeconfig(directory, validity, command)
    }
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

async function init(directory: string, validity: Validity): Promise<CommandEnd> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const issuer = await createIssuer(randomBytes)
  const made: string[] = []
  const forLong = { fromMs: validity.fromMs, untilMs: validity.fromMs + authorityMs }
  const pair = async (name: string, make: () => Promise<KeyPair>): Promise<Result<KeyPair, string>> => {
    const found = await readPair(directory, name)
    if (!found.ok) return fail(found.failure.message)
    if (found.value !== undefined) return ok(found.value.pair)
    const keys = await make()
    await writePair(directory, name, keys)
    made.push(`${name}.crt`, `${name}.key`)
    return ok(keys)
  }
  const ca = await pair('ca', () => issuer.authority('cluster-ca', forLong))
  if (!ca.ok) return failed(ca.failure)
  const peerCa = await pair('peer-ca', () => issuer.authority('cluster-peer-ca', forLong))
  if (!peerCa.ok) return failed(peerCa.failure)
  const admin = await pair('admin', () => issuer.client(ca.value, adminOf('cluster'), validity))
  if (!admin.ok) return failed(admin.failure)
  if ((await readIfPresent(join(directory, 'sa.key'))) === undefined) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    await writeAtomically(join(directory, 'sa.pub'), publicKey, 0o644)
    await writeAtomically(join(directory, 'sa.key'), privateKey, 0o600)
    made.push('sa.key', 'sa.pub')
  }
  const what = made.length === 0 ? 'everything was there already' : `made ${made.join(', ')}`
  return done(
    `${what} in ${directory}\nNext, for each node: cluster-apiserver certs node --name NAME --sans ADDRESS,…\n`,
  )
}

async function node(
  directory: string,
  validity: Validity,
  { name, sans = [] }: CommandLineOf<'certs node'>['values'],
): Promise<CommandEnd> {
  if (name === undefined) return misused('certs node needs --name: the member, as in --initial-cluster')
  if (!memberNamePattern.test(name) || name === '..') return misused(`--name ${name} is no name for a member`)
  const unfit = sans.find((one) => !isCertifiable(one))
  if (unfit !== undefined) return misused(`--sans ${unfit} is neither a host name nor an address`)
  const ca = await wantedPair(directory, 'ca')
  const peerCa = await wantedPair(directory, 'peer-ca')
  if (!ca.ok) return failed(ca.failure)
  if (!peerCa.ok) return failed(peerCa.failure)
  const shared = await Promise.all(
    (['sa.key', 'sa.pub'] as const).map(
      async (file) => [file, await readIfPresent(join(directory, file))] as const,
    ),
  )
  const absent = shared.find(([, text]) => text === undefined)
  if (absent !== undefined) return failed(missing(directory, absent[0]))
  const issuer = await createIssuer(randomBytes)
  const own = [...new Set([name, ...sans, 'localhost', '127.0.0.1', '::1'].filter(isCertifiable))]
  const services = products.flatMap((product) => [
    product,
    `${product}.default`,
    `${product}.default.svc`,
    `${product}.default.svc.cluster.local`,
  ])
  const [serving, peer] = await Promise.all([
    issuer.serving(ca.value, [...own, ...services], validity),
    issuer.peer(peerCa.value, own, validity),
  ])
  const folder = join(directory, name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // With the authority behind it: a kubeconfig made from this file alone trusts all nodes.
  await writePair(folder, 'apiserver', {
    ...serving,
    certificate: serving.certificate + ca.value.certificate,
  })
  await writePair(folder, 'peer', peer)
  await writeAtomically(join(folder, 'ca.crt'), ca.value.certificate, 0o644)
  await writeAtomically(join(folder, 'peer-ca.crt'), peerCa.value.certificate, 0o644)
  for (const [file, text = ''] of shared) {
    await writeAtomically(join(folder, file), text, file.endsWith('.key') ? 0o600 : 0o644)
  }
  return done(
    `made the certificates of ${name} in ${folder}, good for ${own.join(', ')}\nCopy that directory to the node, and start it with\n${nodeFlags(
      folder,
    )
      .map((line) => `  ${line}\n`)
      .join('')}`,
  )
}

/** The flags of `serve` that use what `certs node` made. */
export function nodeFlags(folder: string): readonly string[] {
  const at = (name: string): string => join(folder, name)
  return [
    `--tls-cert-file=${at('apiserver.crt')}`,
    `--tls-private-key-file=${at('apiserver.key')}`,
    `--client-ca-file=${at('ca.crt')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    `--peer-cert-file=${at('peer.crt')}`,
    `--peer-key-file=${at('peer.key')}`,
    `--peer-trusted-ca-file=${at('peer-ca.crt')}`,
  ]
}

async function kubeconfig(
  directory: string,
  validity: Validity,
  { values, arguments: [file = ''] }: CommandLineOf<'certs kubeconfig'>,
): Promise<CommandEnd> {
  const { server, user, groups = [] } = values
  if (server === undefined) return misused('certs kubeconfig needs --server: https://<load balancer>:6443')
  if (!/^https:\/\/[^/\s]+$/.test(server))
    return misused(`--server ${server} is not of the form https://host:port`)
  if (user === undefined && groups.length > 0) return misused('--groups needs --user')
  const ca = await wantedPair(directory, 'ca')
  if (!ca.ok) return failed(ca.failure)
  const keys =
    user === undefined
      ? await wantedPair(directory, 'admin')
      : ok(
          await (await createIssuer(randomBytes)).client(
            ca.value,
            { commonName: user, organizations: groups },
            validity,
          ),
        )
  if (!keys.ok) return failed(keys.failure)
  const text = renderKubeconfig({
    name: 'cluster',
    user: user ?? 'cluster-admin',
    url: server,
    ca: ca.value.certificate,
    credential: { type: 'certificate', keys: keys.value },
  })
  await writeAtomically(resolve(file), text, 0o600)
  return done(`wrote ${resolve(file)}\n`)
}

async function wantedPair(directory: string, name: string): Promise<Result<KeyPair, string>> {
  const found = await readPair(directory, name)
  if (!found.ok) return fail(found.failure.message)
  return found.value === undefined ? fail(missing(directory, `${name}.crt`)) : ok(found.value.pair)
}

function missing(directory: string, file: string): string {
  return `${join(directory, file)} is missing: make it with "cluster-apiserver certs init --cert-dir ${directory}"`
}

async function writePair(directory: string, name: string, pair: KeyPair): Promise<void> {
  for (const file of filesOfPair(name, pair))
    await writeAtomically(join(directory, file.name), file.text, file.mode)
}
