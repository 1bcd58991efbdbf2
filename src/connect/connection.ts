import type { Outcome } from '../pipeline/answer.ts'
import type { ApiRequest, Machinery } from '../registry/machinery.ts'
import type { StreamRegister } from '../registry/watch.ts'
import type { ResourceType, Subresource } from '../types/resource.ts'
import type { NodeAgents } from './node-agents.ts'

export interface ConnectParts {
  readonly machinery: Machinery
  readonly agents: NodeAgents
  readonly register: StreamRegister
}

export type Connection = (request: ApiRequest, parts: ConnectParts) => Promise<Outcome>

/** What admission sees of a connection. */
export interface Connected {
  readonly type: ResourceType
  readonly subresource: Subresource
}
