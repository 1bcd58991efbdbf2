/**
 * Which flow a request belongs to. The answer depends on who asks, on verb and resource or path, and on the namespace;
 * it is remembered for each user until the configuration changes.
 */

import { type RequestInfo, scopeNamespace } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import { catchAllName, type SchemaConfiguration } from './configuration.ts'

/** A schema, and what tells this flow from the others of it. */
export interface Classification {
  readonly schema: SchemaConfiguration
  /** '' where the schema does not tell flows apart. */
  readonly distinguisher: string
}

/** What is known of the requests of one user. */
interface Known<Flow> {
  readonly groups: readonly string[]
  readonly flows: Map<string, Flow>
}

/** Beyond it the user that came first is forgotten. */
const usersMax = 4096
/** Beyond it all of one user is forgotten: who asks for ever new paths harms nobody else. */
const flowsOfUserMax = 1024

export class Classifier<Flow> {
  readonly #users = new Map<string, Known<Flow>>()
  readonly #schemas: readonly SchemaConfiguration[]
  readonly #flowOf: (classification: Classification) => Flow

  /**
   * @param schemas in the order in which they are tried; `catch-all` takes whatever is left
   * @param flowOf runs once for each thing remembered
   */
  constructor(schemas: readonly SchemaConfiguration[], flowOf: (classification: Classification) => Flow) {
    this.#schemas = schemas
    this.#flowOf = flowOf
  }

  classify(user: User, info: RequestInfo): Flow {
    const { flows } = this.#knownOf(user)
    const key = keyOf(info)
    const known = flows.get(key)
    if (known !== undefined) return known
    if (flows.size >= flowsOfUserMax) flows.clear()
    const flow = this.#flowOf(classify(this.#schemas, user, info))
    flows.set(key, flow)
    return flow
  }

  #knownOf({ name, groups }: User): Known<Flow> {
    const known = this.#users.get(name)
    if (known !== undefined && sameGroups(known.groups, groups)) return known
    const [first] = this.#users.keys()
    if (known === undefined && this.#users.size >= usersMax && first !== undefined) this.#users.delete(first)
    const fresh: Known<Flow> = { groups, flows: new Map() }
    this.#users.set(name, fresh)
    return fresh
  }
}

/** Lengths keep the parts apart: they are the client's, and may hold any character. */
function keyOf(info: RequestInfo): string {
  if (info.type === 'nonResource') return `${info.verb}:${info.path}`
  const { verb, group, resource, subresource } = info
  return `${verb} ${group.length},${resource.length},${subresource.length} ${group}${resource}${subresource}${scopeNamespace(info)}`
}

function sameGroups(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** The first schema that is for the request. A bug (throws) when there is none and no `catch-all` either. */
export function classify(
  schemas: readonly SchemaConfiguration[],
  user: User,
  info: RequestInfo,
): Classification {
  const schema = schemas.find(({ matches }) => matches(user, info)) ?? schemas.find(isCatchAll)
  if (schema === undefined) throw new TypeError('there is no flow schema for all')
  return { schema, distinguisher: distinguisherOf(schema, user, info) }
}

function isCatchAll({ name }: SchemaConfiguration): boolean {
  return name === catchAllName
}

function distinguisherOf({ distinguisher }: SchemaConfiguration, user: User, info: RequestInfo): string {
  switch (distinguisher) {
    case 'ByUser':
      return user.name
    case 'ByNamespace':
      return info.type === 'resource' ? scopeNamespace(info) : ''
    case undefined:
      return ''
  }
}
