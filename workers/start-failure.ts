import { fail } from '../store/contract.ts'

/** `message` is for people. */
export type StartFailure = { readonly code: 'CannotStart'; readonly message: string }

/** The end of a start, in words for the operator. */
export function cannotStart(message: string): { readonly ok: false; readonly failure: StartFailure } {
  return fail({ code: 'CannotStart', message })
}
