/** A certificate and its key as two files of one directory, `<name>.crt` and `<name>.key`. */

import { join } from 'node:path'
import { fail, ok, type Result } from '../../store/contract.ts'
import { type NewFile, readIfPresent } from './atomic-file.ts'
import { badFile, type CheckedPair, checkPair, type PkiFailure } from './inspect.ts'
import type { KeyPair } from './issue.ts'

/** undefined = neither file is there. One without the other is a failure. */
export async function readPair(
  directory: string,
  name: string,
): Promise<Result<CheckedPair | undefined, PkiFailure>> {
  const certificatePath = join(directory, `${name}.crt`)
  const keyPath = join(directory, `${name}.key`)
  const [certificate, privateKey] = await Promise.all([
    readIfPresent(certificatePath),
    readIfPresent(keyPath),
  ])
  if (certificate === undefined && privateKey === undefined) return ok(undefined)
  if (certificate === undefined) return fail(badFile(certificatePath, `is missing, and ${name}.key is there`))
  if (privateKey === undefined) return fail(badFile(keyPath, `is missing, and ${name}.crt is there`))
  return checkPair({ certificatePath, certificate, keyPath, privateKey })
}

/** In the order in which they are to be written: a certificate that is there has its key. */
export function filesOfPair(name: string, { certificate, privateKey }: KeyPair): readonly NewFile[] {
  return [
    { name: `${name}.key`, text: privateKey, mode: 0o600 },
    { name: `${name}.crt`, text: certificate, mode: 0o644 },
  ]
}
