/**
 * Writing objects that hold something of a limited kind, of which no two may hold the same: addresses, ports.
 *
 *     plan (asked for by name, or picked) ──write──▶ done
 *       ▲                                    └─ claimed by another: picked here? plan again without it : refused
 *       └───────────────────────────────────────────┘
 *
 * Picks are random and mostly right at once, whatever the number of objects; when many are not, what is taken is read
 * once.
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import type { ApiFailure } from '../status/status.ts'
import type { Claim, ClaimChanges } from '../storage/claims.ts'
import type { Claimed, Storage } from '../storage/contract.ts'
import { readApiFailure } from '../storage/failures.ts'
import type { ApiObject } from '../types/object.ts'

interface Plan {
  /** With everything filled in that was picked. */
  readonly object: ApiObject
  readonly picked: readonly Claim[]
}

/** True = do not pick this one. */
export type IsAvoided = (claim: Claim) => boolean

/** What objects of one type hold. Pure, but for what it draws at random. */
export interface Allocation {
  readonly spaces: readonly string[]
  /** Leaves its arguments as they are. Fails for what can never be, and when there is nothing left to pick. */
  plan(object: ApiObject, old: ApiObject | undefined, isAvoided: IsAvoided): Result<Plan, ApiFailure>
  held(object: ApiObject): readonly Claim[]
  /** The answer to somebody who asked for what another object holds. */
  refusal(object: ApiObject, claim: Claim): ApiFailure
}

/** The answer to the client. */
type Refused = { readonly code: 'Refused'; readonly failure: ApiFailure }

export interface Allocator {
  /** `write` runs again when another write took what was picked. `old` absent = the object is new. */
  write<T, F extends { readonly code: string }>(
    object: ApiObject,
    old: ApiObject | undefined,
    write: (object: ApiObject, claims: ClaimChanges) => Promise<Result<T, F | Claimed>>,
  ): Promise<Result<T, F | Refused>>
  /** What `write` would have written. */
  dryRun(object: ApiObject, old: ApiObject | undefined): Promise<Result<ApiObject, ApiFailure>>
  /** For the removal of an object. */
  freed(old: ApiObject): ClaimChanges
}

/** Picks that turned out taken, before everything that is taken is read. */
const blindPicksMax = 4
const attemptsMax = 64

interface AllocatorParts {
  readonly allocation: Allocation
  readonly claimed: Storage['claimed']
  /** Gives a planned object the form of stored ones. */
  readonly normalize: (object: ApiObject) => ApiObject
}

export function createAllocator({ allocation, claimed, normalize }: AllocatorParts): Allocator {
  return {
    async write(object, old, write) {
      const avoided = createAvoided(claimed, allocation.spaces)
      for (let attempt = 1; ; attempt++) {
        const plan = allocation.plan(object, old, avoided.has)
        if (!plan.ok) return fail({ code: 'Refused', failure: plan.failure })
        const written = await write(
          normalize(plan.value.object),
          changesOf(allocation, plan.value.object, old),
        )
        if (written.ok) return written
        const { failure } = written
        if (!isClaimed(failure)) return fail(failure)
        const { claim } = failure
        if (!plan.value.picked.some((one) => isSame(one, claim)) || attempt === attemptsMax)
          return fail({ code: 'Refused', failure: allocation.refusal(object, claim) })
        avoided.add(claim)
        const problem = attempt === blindPicksMax ? await avoided.read() : undefined
        if (problem !== undefined) return fail({ code: 'Refused', failure: problem })
      }
    },

    async dryRun(object, old) {
      const avoided = createAvoided(claimed, allocation.spaces)
      const problem = await avoided.read()
      if (problem !== undefined) return fail(problem)
      const plan = allocation.plan(object, old, avoided.has)
      if (!plan.ok) return plan
      const { take } = changesOf(allocation, plan.value.object, old)
      const taken = take.find(avoided.has)
      return taken === undefined ? ok(normalize(plan.value.object)) : fail(allocation.refusal(object, taken))
    },

    freed: (old) => ({ take: [], free: allocation.held(old) }),
  }
}

function isClaimed<F extends { readonly code: string }>(failure: F | Claimed): failure is Claimed {
  return failure.code === 'Claimed'
}

function changesOf(allocation: Allocation, object: ApiObject, old: ApiObject | undefined): ClaimChanges {
  const [after, before] = [allocation.held(object), old === undefined ? [] : allocation.held(old)]
  return {
    take: after.filter((claim) => !before.some((one) => isSame(one, claim))),
    free: before.filter((claim) => !after.some((one) => isSame(one, claim))),
  }
}

function isSame(a: Claim, b: Claim): boolean {
  return a.name === b.name && a.space === b.space
}

function createAvoided(claimed: Storage['claimed'], spaces: readonly string[]) {
  const known = new Map<string, Set<string>>()
  const add = ({ space, name }: Claim): void => {
    const names = known.get(space) ?? new Set()
    known.set(space, names.add(name))
  }
  return {
    add,
    has: ({ space, name }: Claim): boolean => known.get(space)?.has(name) === true,
    /** Everything that is taken now; gives what is in the way. */
    async read(): Promise<ApiFailure | undefined> {
      for (const space of spaces) {
        const found = await claimed(space)
        if (!found.ok) return readApiFailure(found.failure)
        for (const name of found.value) add({ space, name })
      }
      return undefined
    },
  }
}
