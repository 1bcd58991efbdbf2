/** Bytes that are no message, as a value. */

import type { Result } from '../../../store/contract.ts'
import { fail, ok } from '../../../store/contract.ts'
import { Malformed, type Reader } from './reader.ts'

/** What is wrong, where in the bytes (from 0) and in which field ('' = none). */
export interface ProtobufFailure {
  readonly message: string
  readonly offset: number
  readonly path: string
}

/** Runs `read`; what is malformed becomes a value. */
export function reading<T>(reader: Reader, read: (reader: Reader) => T): Result<T, ProtobufFailure> {
  try {
    return ok(read(reader))
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return fail({ message: error.message, offset: error.offset, path: error.path })
  }
}

export function describeFailure({ message, offset, path }: ProtobufFailure): string {
  return `${path === '' ? '' : `${path}: `}${message} (at byte ${offset})`
}
