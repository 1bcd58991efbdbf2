/**
 * The key that signs tokens of service accounts when the operator gives none: `service-account.key`, made at the
 * first start. Tokens live as long as it does; a damaged one is named, not replaced.
 */

import { generateKeyPair } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readSigningKey } from '../../src/authn/service-account/keys.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { readIfPresent, writeAtomically } from './atomic-file.ts'
import { badFile, type PkiFailure } from './inspect.ts'

interface ServiceAccountKey {
  /** PEM text, PKCS #8. */
  readonly privateKey: string
  /** For the log; undefined = it was there. */
  readonly made: string | undefined
  /** Writes it if it is new. The data directory must be there. */
  save(): Promise<void>
}

/** The key in the data directory; made, and not written before `save`, where there is none. */
export async function openServiceAccountKey(dataDir: string): Promise<Result<ServiceAccountKey, PkiFailure>> {
  const path = join(dataDir, 'service-account.key')
  const found = await readIfPresent(path)
  if (found !== undefined) {
    const read = readSigningKey(found)
    return read.ok
      ? ok({ privateKey: found, made: undefined, save: async () => {} })
      : fail(badFile(path, read.failure))
  }
  const { privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return ok({
    privateKey,
    made: 'service account key',
    save: () => writeAtomically(path, privateKey, 0o600),
  })
}
