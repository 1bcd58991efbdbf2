/** What storage can fail with → what clients read. The one place where the store's failures get API words. */

import type { WatchFailure } from '../../store/contract.ts'
import type { ApiFailure } from '../status/status.ts'
import type { StorageReadFailure, StorageWriteFailure, WatchEnd } from './contract.ts'

const retrySeconds = 1

/** A failure of a read as clients are told of it. */
export function readApiFailure(failure: StorageReadFailure): ApiFailure {
  switch (failure.code) {
    case 'ResourceVersionTooLarge':
      return {
        reason: 'Timeout',
        message: `Timeout: Too large resource version: ${failure.requested}, current: ${failure.current}`,
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: retrySeconds,
        },
      }
    case 'ListExpired':
      return failure.freshContinueToken === undefined
        ? { reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' }
        : { reason: 'Expired', message: staleContinueMessage, continueToken: failure.freshContinueToken }
    case 'ConversionFailed':
      return conversionFailure(failure.message)
    case 'BadContinueToken':
      return { reason: 'BadRequest', message: 'invalid continue token: continue key is not valid' }
    case 'Unavailable':
      return unavailable(failure.message)
    case 'Corrupt':
      return corrupt(failure.where, failure.message)
  }
}

const staleContinueMessage =
  'The provided continue parameter is too old to display a consistent list result. Start a new list without it, or go ' +
  'on with the continue token in this response: then objects that were created, changed or deleted since the first ' +
  'chunk may show up in the rest.'

/**
 * For all but Moved, which only the verb can tell (AlreadyExists, Conflict, or try again), Claimed, which only who
 * allocates can explain, and Outdated, which only who set the guards can.
 */
export function writeApiFailure(
  failure: Exclude<StorageWriteFailure, { code: 'Moved' | 'Claimed' | 'Outdated' }>,
): ApiFailure {
  switch (failure.code) {
    case 'Unavailable':
      return unavailable(failure.message)
    case 'Unknown':
      return {
        reason: 'Timeout',
        message: `Timeout: the request may or may not have been carried out: ${failure.message}`,
        // No Retry-After: clients would repeat by themselves what may have happened.
        details: {},
      }
    case 'ConversionFailed':
      return conversionFailure(failure.message)
    case 'TooLarge':
      return {
        reason: 'RequestEntityTooLarge',
        message: `Request entity is too large: ${failure.what} is ${failure.found} bytes, limit is ${failure.limit}`,
      }
    case 'Corrupt':
      return corrupt(failure.where, failure.message)
  }
}

/** What the ERROR frame of a watch says. */
export function watchApiFailure(failure: WatchEnd | WatchFailure): ApiFailure {
  switch (failure.code) {
    case 'Compacted':
      return {
        reason: 'Expired',
        message: `too old resource version: ${failure.requested} (${failure.oldest})`,
      }
    case 'ConversionFailed':
      return conversionFailure(failure.message)
    case 'FutureRevision':
      return unavailable('the store does not know this resource version yet')
    case 'Unavailable':
      return unavailable(failure.message)
    case 'Corrupt':
      return corrupt(failure.where, failure.message)
  }
}

/** 500: an object cannot be had in the version that is asked for, or be stored. */
export function conversionFailure(message: string): ApiFailure {
  return { reason: 'InternalError', saidReason: '', message }
}

function unavailable(message: string): ApiFailure {
  return {
    reason: 'ServiceUnavailable',
    message: `storage is (re)initializing or unavailable: ${message}`,
    details: { retryAfterSeconds: retrySeconds },
  }
}

function corrupt(where: string, message: string): ApiFailure {
  return {
    reason: 'InternalError',
    message: `Internal error occurred: stored data is damaged at ${where}: ${message}`,
  }
}
