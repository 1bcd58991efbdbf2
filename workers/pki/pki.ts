/**
 * The server's identities, kept in the data directory:
 *
 *     pki/ca.crt       pki/ca.key        signs the others; ten years; made once, never replaced
 *     pki/serving.crt  pki/serving.key   what the TLS listener shows; two years
 *     pki/admin.crt    pki/admin.key     the administrator's client certificate; two years
 *     admin.token                        a bearer token of the administrator, for the plaintext listener
 *     admin.kubeconfig                   all that an administrator's client needs
 *
 * Serving and administrator certificates are renewed at a start in the last half year before they expire; the serving
 * certificate also when a name is missing from it. The first start makes the directory as a whole, so a crash leaves
 * none or all of it; a file that is damaged is named, not replaced.
 */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../store/contract.ts'
import { type NewFile, readIfPresent, writeAtomically, writeDirectoryAtomically } from './atomic-file.ts'
import {
  badFile,
  type CheckedPair,
  expiresBefore,
  isSignedBy,
  missingNames,
  type PkiFailure,
} from './inspect.ts'
import { type ClientName, createIssuer, type Issuer, type KeyPair, type Validity } from './issue.ts'
import { filesOfPair, readPair } from './pair-files.ts'

export interface PkiOptions {
  readonly dataDir: string
  /** Of the administrator's client certificate, and (with `-ca`) of the CA: `<product>`. */
  readonly product: string
  readonly servingNames: readonly string[]
  readonly nowMs: number
  readonly randomBytes: (count: number) => Buffer
}

export interface Pki {
  /** PEM text. */
  readonly ca: string
  /** The CA with its key: it signs what nodes and people ask for. */
  readonly signing: KeyPair
  readonly serving: KeyPair
  readonly admin: KeyPair
  readonly adminToken: string
  /** What is new, for the log: `CA`, `serving certificate (expires soon)`, … */
  readonly made: readonly string[]
  /** Writes what is new. Not before it is certain that the data directory is this server's. */
  save(): Promise<void>
}

const dayMs = 86_400_000
const caValidityMs = 3_652 * dayMs
const leafValidityMs = 730 * dayMs
const renewBeforeMs = 183 * dayMs
/** Clocks of clients may be behind. */
const backdateMs = 3_600_000

function pkiDirectory(dataDir: string): string {
  return join(dataDir, 'pki')
}

/** Who the administrator's certificate is for. */
export function adminOf(product: string): ClientName {
  return { commonName: `${product}-admin`, organizations: ['system:masters'] }
}

/** Reads what is there, and makes what is missing or due. Nothing is written before `save`. */
export async function openPki(options: PkiOptions): Promise<Result<Pki, PkiFailure>> {
  const directory = pkiDirectory(options.dataDir)
  const [ca, serving, admin] = await Promise.all([
    readPair(directory, 'ca'),
    readRenewable(directory, 'serving'),
    readRenewable(directory, 'admin'),
  ])
  for (const read of [ca, serving, admin]) if (!read.ok) return read
  if (!ca.ok || !serving.ok || !admin.ok) throw new TypeError('unreachable')
  const token = await openToken(options)
  if (!token.ok) return token
  if (ca.value === undefined && (serving.value ?? admin.value) !== undefined) {
    return fail(badFile(join(directory, 'ca.crt'), 'is missing, and other certificates are there'))
  }
  const certificates =
    ca.value === undefined
      ? await makeAll(options, directory)
      : await renewWhatIsDue(options, directory, { ca: ca.value, serving: serving.value, admin: admin.value })
  return ok({
    ...certificates,
    adminToken: token.value.token,
    async save() {
      await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
      await Promise.all([certificates.save(), token.value.save()])
    },
  })
}

type Certificates = Omit<Pki, 'adminToken'>

async function makeAll(options: PkiOptions, directory: string): Promise<Certificates> {
  const issuer = await createIssuer(options.randomBytes)
  const { product, servingNames } = options
  const ca = await issuer.authority(`${product}-ca`, validity(options, caValidityMs))
  const [serving, admin] = await Promise.all([
    issuer.serving(ca, servingNames, validity(options, leafValidityMs)),
    issuer.client(ca, adminOf(product), validity(options, leafValidityMs)),
  ])
  const files = Object.entries({ ca, serving, admin }).flatMap(([name, pair]) => filesOfPair(name, pair))
  return {
    ca: ca.certificate,
    signing: ca,
    serving,
    admin,
    made: ['CA', 'serving certificate', 'administrator certificate'],
    save: () => writeDirectoryAtomically(directory, files),
  }
}

interface Kept {
  readonly ca: CheckedPair
  readonly serving: CheckedPair | undefined
  readonly admin: CheckedPair | undefined
}

async function renewWhatIsDue(options: PkiOptions, directory: string, kept: Kept): Promise<Certificates> {
  const { ca } = kept
  const made: string[] = []
  const files: NewFile[] = []
  let issuer: Promise<Issuer> | undefined
  const renewed = async (
    name: 'serving' | 'admin',
    title: string,
    reason: string | undefined,
    make: (issuer: Issuer) => Promise<KeyPair>,
  ): Promise<KeyPair | undefined> => {
    if (reason === undefined) return undefined
    issuer ??= createIssuer(options.randomBytes)
    const pair = await make(await issuer)
    files.push(...filesOfPair(name, pair))
    made.push(`${title} (${reason})`)
    return pair
  }
  const until = validity(options, leafValidityMs)
  const serving = await renewed(
    'serving',
    'serving certificate',
    whyRenew(kept.serving, ca, options.nowMs) ?? whyRename(kept.serving, options.servingNames),
    (issuer) => issuer.serving(ca.pair, options.servingNames, until),
  )
  const admin = await renewed(
    'admin',
    'administrator certificate',
    whyRenew(kept.admin, ca, options.nowMs),
    (issuer) => issuer.client(ca.pair, adminOf(options.product), until),
  )
  return {
    ca: ca.pair.certificate,
    signing: ca.pair,
    serving: serving ?? pairOf(kept.serving),
    admin: admin ?? pairOf(kept.admin),
    made,
    async save() {
      for (const { name, text, mode } of files) await writeAtomically(join(directory, name), text, mode)
    },
  }
}

function pairOf(kept: CheckedPair | undefined): KeyPair {
  if (kept === undefined) throw new TypeError('neither kept nor made')
  return kept.pair
}

function whyRenew(kept: CheckedPair | undefined, ca: CheckedPair, nowMs: number): string | undefined {
  if (kept === undefined) return 'was missing or half written'
  if (expiresBefore(kept.leaf, nowMs + renewBeforeMs)) return 'expires soon'
  if (!isSignedBy(kept.leaf, ca.leaf)) return 'was of another CA'
  return undefined
}

function whyRename(kept: CheckedPair | undefined, names: readonly string[]): string | undefined {
  if (kept === undefined) return undefined
  const missing = missingNames(kept.leaf, names)
  return missing.length === 0 ? undefined : `for ${missing.join(', ')}`
}

function validity({ nowMs }: PkiOptions, lengthMs: number): Validity {
  return { fromMs: nowMs - backdateMs, untilMs: nowMs + lengthMs }
}

/** A crash between the two files of a renewal leaves a mismatch: the CA can make the pair again, as if it were absent. */
async function readRenewable(
  directory: string,
  name: string,
): Promise<Result<CheckedPair | undefined, PkiFailure>> {
  const read = await readPair(directory, name)
  return !read.ok && read.failure.code === 'Mismatch' ? ok(undefined) : read
}

interface Token {
  readonly token: string
  save(): Promise<void>
}

/** The token alone: for a server whose certificates all come from elsewhere. Nothing is written before `save`. */
export async function openToken({
  dataDir,
  randomBytes,
}: Pick<PkiOptions, 'dataDir' | 'randomBytes'>): Promise<Result<Token, PkiFailure>> {
  const path = join(dataDir, 'admin.token')
  const found = await readIfPresent(path)
  if (found === undefined) {
    const token = randomBytes(32).toString('base64url')
    return ok({ token, save: () => writeAtomically(path, `${token}\n`, 0o600) })
  }
  const token = found.trim()
  return /^[\x21-\x7e]{16,}$/.test(token)
    ? ok({ token, save: async () => {} })
    : fail(badFile(path, 'holds no token: one line of at least 16 printable characters'))
}
