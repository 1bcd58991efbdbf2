/** What a server does about definitions: serves what they define, and lets go of what they no longer do. */

import type { Clock } from '../../../store/contract.ts'
import type { Names } from '../../names/names.ts'
import type { Log } from '../../observe/log.ts'
import type { Storage } from '../../storage/contract.ts'
import { customPrefix, storedFormOf } from './custom-type.ts'
import type { Definition } from './definition.ts'
import { type DefinitionsFollower, followDefinitions } from './follow-definitions.ts'
import type { LiveTypes } from './live-types.ts'

interface ServeParts {
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  readonly types: LiveTypes
  readonly storage: Storage
}

/** Undefined where definitions are not served: then nothing custom is. */
export function serveDefinitions({
  names,
  clock,
  log,
  types,
  storage,
}: ServeParts): DefinitionsFollower | undefined {
  const identity = types.resource(
    names.expand('apiextensions.{groups}'),
    'v1',
    'customresourcedefinitions',
  )?.storage
  if (identity === undefined) return undefined
  const follower = followDefinitions({
    storage: storage.resource(identity),
    clock,
    log,
    // What is kept of the objects goes first: who hears of the change asks for it anew.
    set(definition, before) {
      // They may look otherwise now: clients of their watches come back for them.
      if (before?.established === true && before.shape !== definition.shape) {
        if (storedFormOf(before) === storedFormOf(definition)) storage.endWatches(objectsOf(before))
        else storage.release(objectsOf(before))
      }
      types.set(definition)
    },
    remove(definition) {
      if (definition.established) storage.release(objectsOf(definition))
      types.remove(definition.name)
    },
  })
  types.follow(follower)
  return follower
}

function objectsOf({ group, names, storageVersion }: Definition) {
  return { prefix: customPrefix(group, names.plural), version: { group, version: storageVersion } }
}
