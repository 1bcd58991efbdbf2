/** The lease of an election as an object of the API: `leases/<name>` in the system's namespace. */

import type { Clock } from '../../../store/contract.ts'
import type { User } from '../../pipeline/user.ts'
import type { Machinery, ResourceRoute } from '../../registry/machinery.ts'
import type { ObjectName } from '../../storage/contract.ts'
import type { ApiObject } from '../../types/object.ts'
import { changeOwn, createOwn, type OwnWrite } from '../own-writes.ts'
import type { HoldOutcome, LeaseKeeper } from './election.ts'
import {
  claim,
  type LeaseRecord,
  microTime,
  type Observation,
  observe,
  readRecord,
  recordSpec,
  released,
} from './record.ts'

interface LeaseKeeperParts {
  readonly machinery: Machinery
  readonly leases: ResourceRoute
  readonly lease: ObjectName
  /** Of this candidate: stable over its restarts, so that it takes up its own lease at once; unique among candidates. */
  readonly identity: string
  readonly user: User
  readonly leaseDurationMs: number
}

export function createLeaseKeeper(parts: LeaseKeeperParts): LeaseKeeper {
  const { machinery, leases, lease, identity, user, leaseDurationMs } = parts
  const { clock } = machinery
  const write: OwnWrite = { machinery, route: leases, user, manager: lease.name }
  const durationSeconds = Math.ceil(leaseDurationMs / 1000)
  let observed: Observation | undefined

  async function create(): Promise<HoldOutcome> {
    const now = nowOf(clock)
    const record: LeaseRecord = {
      holder: identity,
      durationSeconds,
      acquireTime: now,
      renewTime: now,
      transitions: 0,
    }
    const { apiVersion, kind } = leases.type
    const made = await createOwn(write, {
      apiVersion,
      kind,
      metadata: { ...lease },
      spec: recordSpec(record),
    })
    if (made.ok) return 'held'
    return made.failure.reason === 'AlreadyExists' ? 'other' : { problem: made.failure.message }
  }

  return {
    async hold() {
      let mine = false
      const changed = await changeOwn(write, lease, (object) => {
        const monotonicMs = clock.monotonicMs()
        observed = observe(observed, readRecord(object), monotonicMs)
        const record = claim(observed, { identity, durationSeconds, now: nowOf(clock), monotonicMs })
        mine = record !== undefined
        return record === undefined ? undefined : withRecord(object, record)
      })
      if (changed.ok) return mine ? 'held' : 'other'
      return changed.failure.reason === 'NotFound' ? create() : { problem: changed.failure.message }
    },
    async release() {
      await changeOwn(write, lease, (object) => {
        const record = readRecord(object)
        return record.holder === identity ? withRecord(object, released(record, nowOf(clock))) : undefined
      })
    },
  }
}

const nowOf = (clock: Clock): string => microTime(clock.wallMs())

function withRecord(object: ApiObject, record: LeaseRecord): ApiObject {
  return { ...object, spec: recordSpec(record) }
}
