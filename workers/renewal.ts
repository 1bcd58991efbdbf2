/**
 * Certificates and CAs that the operator's flags name are looked at again while the server runs: who replaces the
 * files need not restart it. What cannot be read or used is logged, and the former ones go on to count.
 */

import { caProblem } from '../src/certificates/authority.ts'
import { type SignerKind, signerKinds } from '../src/certificates/signers.ts'
import { type CsrSigningOptions, forAll } from '../src/certificates/signing-options.ts'
import { type FollowedFile, followFiles } from '../src/config/follow-file.ts'
import type { Log } from '../src/observe/log.ts'
import { certificatesProblem } from '../src/outside/certificates.ts'
import type { Outside } from '../src/outside/outside.ts'
import type { Clock } from '../store/contract.ts'
import type { ClusterSigningFiles, SigningFiles } from './flags/cluster-signing.ts'
import type { TlsMaterial } from './http/tls-material.ts'
import { checkPair } from './pki/inspect.ts'

/** What may be replaced in a server that runs. */
export interface Renewable {
  readonly tls: TlsMaterial
  readonly clusterSigning: CsrSigningOptions | undefined
}

/** Of the flags; undefined = not given. */
export interface RenewableFiles {
  readonly tlsFiles: SigningFiles | undefined
  readonly clientCaFile: string | undefined
  readonly requestHeaderCaFile: string | undefined
  readonly clusterSigning: { readonly source: ClusterSigningFiles }
}

interface RenewalParts {
  readonly files: RenewableFiles
  /** As it was read at the start. */
  readonly first: Renewable
  readonly outside: Pick<Outside, 'readFile'>
  readonly clock: Clock
  readonly log: Log
  /** 48 of them for each change of the CAs: sessions from before it are not resumed. */
  readonly randomBytes: (count: number) => Buffer
  renewed(all: Renewable): void
}

/** One or two files that are checked, and count, together. */
interface Unit {
  /** The flags, for the log. */
  readonly flags: string
  readonly paths: readonly string[]
  readonly texts: readonly string[]
  /** Undefined = it can be used. */
  problem(texts: readonly string[]): string | undefined
  apply(texts: readonly string[], all: Renewable): Renewable
}

export function followRenewals(parts: RenewalParts): FollowedFile {
  const { outside, clock, log } = parts
  const { tls, clusterSigning } = parts.first
  let current: Renewable = { tls, clusterSigning }
  const followed = unitsOf(parts).map(({ flags, paths, texts, problem, apply }) => {
    const keep = (path: string, reason: string): void =>
      log.error('a file was not taken over: what it held before goes on to count', { flags, path, reason })
    return followFiles({
      paths,
      texts,
      outside,
      clock,
      unreadable: keep,
      async changed(now) {
        const wrong = problem(now)
        if (wrong !== undefined) return keep(paths.join(', '), wrong)
        current = apply(now, current)
        log.info('a changed file was taken over', { flags, path: paths.join(', ') })
        parts.renewed(current)
      },
    })
  })
  return {
    start() {
      for (const one of followed) one.start()
    },
    close() {
      for (const one of followed) one.close()
    },
  }
}

function unitsOf(parts: RenewalParts): readonly Unit[] {
  const { tlsFiles, clientCaFile, requestHeaderCaFile, clusterSigning } = parts.files
  return [
    ...(tlsFiles === undefined ? [] : [servingUnit(tlsFiles, parts.first.tls)]),
    ...caUnit('--client-ca-file', clientCaFile, 'clientCa', parts),
    ...caUnit('--requestheader-client-ca-file', requestHeaderCaFile, 'proxyCa', parts),
    ...signingUnits(clusterSigning.source, parts.first.clusterSigning),
  ]
}

function servingUnit(files: SigningFiles, { certificate, privateKey }: TlsMaterial): Unit {
  return {
    flags: '--tls-cert-file, --tls-private-key-file',
    paths: [files.certificate, files.privateKey],
    texts: [certificate, privateKey],
    problem([newCertificate = '', newKey = '']) {
      const checked = checkPair({
        certificatePath: files.certificate,
        certificate: newCertificate,
        keyPath: files.privateKey,
        privateKey: newKey,
      })
      return checked.ok ? undefined : checked.failure.message
    },
    apply: ([newCertificate = '', newKey = ''], all) => ({
      ...all,
      tls: { ...all.tls, certificate: newCertificate, privateKey: newKey },
    }),
  }
}

function caUnit(
  flags: string,
  path: string | undefined,
  member: 'clientCa' | 'proxyCa',
  { first, randomBytes }: RenewalParts,
): readonly Unit[] {
  if (path === undefined) return []
  return [
    {
      flags,
      paths: [path],
      texts: [first.tls[member] ?? ''],
      problem: ([text = '']) => certificatesProblem(text),
      apply: ([text = ''], all) => ({
        ...all,
        tls: { ...all.tls, [member]: text, ticketKeys: randomBytes(48) },
      }),
    },
  ]
}

function signingUnits(source: ClusterSigningFiles, first: CsrSigningOptions | undefined): readonly Unit[] {
  if (source.type === 'own' || first === undefined) return []
  if (source.type === 'common') {
    return [signingUnit('', source.files, first, (ca) => forAll(ca), 'legacy-unknown')]
  }
  return signerKinds.flatMap((kind) => {
    const files = source.files[kind]
    return files === undefined
      ? []
      : [signingUnit(`${kind}-`, files, first, (ca, cas) => ({ ...cas, [kind]: ca }), kind)]
  })
}

function signingUnit(
  infix: string,
  files: SigningFiles,
  first: CsrSigningOptions,
  put: (ca: SigningFiles, cas: CsrSigningOptions['cas']) => CsrSigningOptions['cas'],
  kind: SignerKind,
): Unit {
  const ca = first.cas[kind]
  return {
    flags: `--cluster-signing-${infix}cert-file, --cluster-signing-${infix}key-file`,
    paths: [files.certificate, files.privateKey],
    texts: [ca?.certificate ?? '', ca?.privateKey ?? ''],
    problem: ([certificate = '', privateKey = '']) => caProblem({ certificate, privateKey }),
    apply: ([certificate = '', privateKey = ''], all) =>
      all.clusterSigning === undefined
        ? all
        : {
            ...all,
            clusterSigning: {
              ...all.clusterSigning,
              cas: put({ certificate, privateKey }, all.clusterSigning.cas),
            },
          },
  }
}
