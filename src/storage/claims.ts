/**
 * Claims: names of a space that at most one object holds, such as the addresses of services. A claim is a key of its
 * own, taken and freed in the same transaction as the object is written: no claim can leak, and no two writers on any
 * node can take the same one.
 */

import { type Guard, type Key, key, keyAfterPrefix, type Operation, revision } from '../../store/contract.ts'

const root = 'claims'

/** `space` and `name` are the server's own words: ASCII, no `/` in them. */
export interface Claim {
  readonly space: string
  readonly name: string
}

/** What a write takes and what it frees. */
export interface ClaimChanges {
  readonly take: readonly Claim[]
  readonly free: readonly Claim[]
}

function claimKey({ space, name }: Claim): Key {
  return key(`${root}/${space}/${name}`)
}

/** The claim of a key that {@link claimKey} made; undefined = it is the key of something else. */
export function claimOfKey(at: Key): Claim | undefined {
  const [first, space, name, ...rest] = at.split('/')
  return first === root && space !== undefined && name !== undefined && rest.length === 0
    ? { space, name }
    : undefined
}

/** All keys of a space of claims. */
export function claimRange(space: string): { readonly start: Key; readonly end: Key } {
  const prefix = `${root}/${space}/`
  return { start: key(prefix), end: keyAfterPrefix(prefix) }
}

const absent = revision(0)

/** Holds while nobody has what is to be taken. */
export function claimGuards({ take }: ClaimChanges): readonly Guard[] {
  return take.map((claim) => ({ key: claimKey(claim), modRevision: absent }))
}

/** `holder`: for people who look into the store. */
export function claimOperations({ take, free }: ClaimChanges, holder: string): readonly Operation[] {
  const value = Buffer.from(holder)
  return [
    ...take.map((claim): Operation => ({ type: 'put', key: claimKey(claim), value })),
    ...free.map((claim): Operation => ({ type: 'delete', key: claimKey(claim) })),
  ]
}
