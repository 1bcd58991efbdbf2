/**
 * Kubernetes' authorizer library: whether somebody may do something.
 *
 *     authorizer.group('apps').resource('deployments').namespace('ns').check('create').allowed()
 *     authorizer.serviceAccount('ns', 'name').path('/healthz').check('get').allowed()
 *
 * Source: specification, "Expression language".
 */

import { cel, type OpaqueValue } from '../../types.ts'
import { CelError, CelOpaque, noSuchOverload, type Value } from '../../values/value.ts'
import { define, type Implementation, type Library } from '../library.ts'

/** Parts that were not named are ''. */
export type AccessQuestion =
  | {
      readonly type: 'resource'
      readonly group: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
      readonly verb: string
    }
  | { readonly type: 'path'; readonly path: string; readonly verb: string }

export interface AccessAnswer {
  readonly allowed: boolean
  readonly reason: string
  /** Why nobody could tell; '' = somebody could. */
  readonly error: string
}

/** Answers for one user. */
export interface AccessChecker {
  /** Undefined = it takes time to find out: the evaluation fails, and is made again when the answer is there. */
  check(question: AccessQuestion): AccessAnswer | undefined
  /** The same for a service account; the failure says what is wrong with its name. */
  forServiceAccount(namespace: string, name: string): AccessChecker | string
}

/** What a check costs, whatever it asks. */
const checkCost = 350_000

export const authorizerType = cel.opaque('kubernetes.authorization.Authorizer')
export const resourceCheckType = cel.opaque('kubernetes.authorization.ResourceCheck')
const pathCheckType = cel.opaque('kubernetes.authorization.PathCheck')
const groupCheckType = cel.opaque('kubernetes.authorization.GroupCheck')
const decisionType = cel.opaque('kubernetes.authorization.Decision')

/** The value of the variable `authorizer`. */
export class AuthorizerValue implements OpaqueValue {
  readonly celType = authorizerType
  readonly checker: AccessChecker
  constructor(checker: AccessChecker) {
    this.checker = checker
  }
}

type ResourceParts = Omit<AccessQuestion & { readonly type: 'resource' }, 'type' | 'verb'>

/** The value of the variable `authorizer.requestResource`, and of `resource(…)`. */
export class ResourceCheckValue implements OpaqueValue {
  readonly celType = resourceCheckType
  readonly checker: AccessChecker
  readonly parts: ResourceParts
  constructor(checker: AccessChecker, parts: ResourceParts) {
    this.checker = checker
    this.parts = parts
  }
}

class PathCheckValue implements OpaqueValue {
  readonly celType = pathCheckType
  readonly checker: AccessChecker
  readonly path: string
  constructor(checker: AccessChecker, path: string) {
    this.checker = checker
    this.path = path
  }
}

class GroupCheckValue implements OpaqueValue {
  readonly celType = groupCheckType
  readonly checker: AccessChecker
  readonly group: string
  constructor(checker: AccessChecker, group: string) {
    this.checker = checker
    this.group = group
  }
}

class DecisionValue implements OpaqueValue {
  readonly celType = decisionType
  readonly answer: AccessAnswer
  constructor(answer: AccessAnswer) {
    this.answer = answer
  }
}

const pending = new CelError('access is still being decided')

/** A method of the values of one class, whose arguments are texts. */
function on<T extends OpaqueValue>(
  type: abstract new (...given: never[]) => T,
  act: (receiver: T, first: string, second: string) => OpaqueValue | Value,
): Implementation {
  return (value, first, second) => {
    if (!(value instanceof CelOpaque && value.host instanceof type)) return noSuchOverload
    const result = act(value.host, textOf(first), textOf(second))
    return isHost(result) ? new CelOpaque(result) : result
  }
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : ''
}

function isHost(value: OpaqueValue | Value): value is OpaqueValue {
  return typeof value === 'object' && value !== null && 'celType' in value
}

function ask(checker: AccessChecker, question: AccessQuestion): OpaqueValue | Value {
  const answer = checker.check(question)
  return answer === undefined ? pending : new DecisionValue(answer)
}

function narrowed(part: 'subresource' | 'namespace' | 'name'): Implementation {
  return on(ResourceCheckValue, ({ checker, parts }, text) => {
    return new ResourceCheckValue(checker, { ...parts, [part]: text })
  })
}

export const authorizerLibrary: Library = {
  name: 'kubernetes.authz',
  types: [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType],
  overloads: [
    define(
      `<${authorizerType.name}>.path(string): <${pathCheckType.name}>`,
      on(AuthorizerValue, ({ checker }, path) =>
        path === '' ? new CelError('path must not be empty') : new PathCheckValue(checker, path),
      ),
    ),
    define(
      `<${authorizerType.name}>.group(string): <${groupCheckType.name}>`,
      on(AuthorizerValue, ({ checker }, group) => new GroupCheckValue(checker, group)),
    ),
    define(
      `<${authorizerType.name}>.serviceAccount(string, string): <${authorizerType.name}>`,
      on(AuthorizerValue, ({ checker }, namespace, name) => {
        const other = checker.forServiceAccount(namespace, name)
        return typeof other === 'string' ? new CelError(other) : new AuthorizerValue(other)
      }),
    ),
    define(
      `<${pathCheckType.name}>.check(string): <${decisionType.name}>`,
      on(PathCheckValue, ({ checker, path }, verb) => ask(checker, { type: 'path', path, verb })),
      () => checkCost,
    ),
    define(
      `<${groupCheckType.name}>.resource(string): <${resourceCheckType.name}>`,
      on(GroupCheckValue, ({ checker, group }, resource) =>
        resource === ''
          ? new CelError('resource must not be empty')
          : new ResourceCheckValue(checker, { group, resource, subresource: '', namespace: '', name: '' }),
      ),
    ),
    ...(['subresource', 'namespace', 'name'] as const).map((part) =>
      define(`<${resourceCheckType.name}>.${part}(string): <${resourceCheckType.name}>`, narrowed(part)),
    ),
    define(
      `<${resourceCheckType.name}>.check(string): <${decisionType.name}>`,
      on(ResourceCheckValue, ({ checker, parts }, verb) =>
        ask(checker, { type: 'resource', ...parts, verb }),
      ),
      () => checkCost,
    ),
    define(
      `<${decisionType.name}>.allowed(): bool`,
      on(DecisionValue, ({ answer }) => answer.allowed),
    ),
    define(
      `<${decisionType.name}>.reason(): string`,
      on(DecisionValue, ({ answer }) => answer.reason),
    ),
    define(
      `<${decisionType.name}>.errored(): bool`,
      on(DecisionValue, ({ answer }) => answer.error !== ''),
    ),
    define(
      `<${decisionType.name}>.error(): string`,
      on(DecisionValue, ({ answer }) => answer.error),
    ),
  ],
}
