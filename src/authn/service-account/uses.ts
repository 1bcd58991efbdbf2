/** Counts how tokens of service accounts are used, and tells who wants to know when a secret's token was. */

import { header, sample } from '../../observe/exposition.ts'
import type { ApiObject } from '../../types/object.ts'
import type { TokenUse } from './authenticator.ts'

export interface TokenUses {
  record(use: TokenUse): void
  /** One listener; the last one set wins. */
  onSecretUsed(listener: (secret: ApiObject) => void): void
  /** Prometheus text. */
  text(): string
}

export function createTokenUses(): TokenUses {
  let [legacy, stale, valid] = [0, 0, 0]
  let listener: (secret: ApiObject) => void = () => {}
  return {
    record(use) {
      if (use.type === 'legacy') {
        legacy++
        if (use.secret !== undefined) listener(use.secret)
      } else if (use.stale === true) stale++
      else if (use.stale === false) valid++
    },
    onSecretUsed(action) {
      listener = action
    },
    text: () =>
      counter('serviceaccount_legacy_tokens_total', 'Uses of tokens that are kept in secrets.', legacy) +
      counter(
        'serviceaccount_stale_tokens_total',
        'Uses of extended tokens behind the time at which a client should have read a new one.',
        stale,
      ) +
      counter('serviceaccount_valid_tokens_total', 'Uses of extended tokens before that time.', valid),
  }
}

function counter(name: string, help: string, value: number): string {
  return header(name, help, 'counter') + sample(name, '', value)
}
