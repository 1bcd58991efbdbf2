/**
 * Holds the expressions of a policy against the types of what it matches: what is wrong only for some of them, and
 * otherwise shows when such an object comes. It changes nothing of what the policy does.
 *
 * Source: admissionregistration/v1 TypeChecking; limits and texts as Kubernetes 1.30.
 */

import { type CelType, cel, compileExpression } from '../../../cel/expression.ts'
import type { JsonObject } from '../../../json.ts'
import { objectAt, objectsAt, textAt } from '../../../types/draft.ts'
import type { ApiObject } from '../../../types/object.ts'
import type { ResourceType, TypeRegistry } from '../../../types/resource.ts'
import { policyEnvironment } from '../environment.ts'
import { typeOfResource } from './resource-type.ts'

export interface ExpressionWarning {
  /** `spec.validations[0].expression`. */
  readonly fieldRef: string
  /** For each type for which the expression is wrong, the type and what is wrong. */
  readonly warning: string
}

/** Most types that the expressions are held against. */
const typesMax = 10

/** Empty = the expressions are right for all types that the policy names; of wildcards nothing is said. */
export function checkTypes(policy: ApiObject, types: TypeRegistry): readonly ExpressionWarning[] {
  const spec = objectAt(policy, 'spec') ?? {}
  const checks = matchedTypes(spec, types).map((type) => ({
    name: `${type.group}/${type.version}, Kind=${type.kind}`,
    check: createCheck(spec, type, types),
  }))
  return objectsAt(spec, 'validations').flatMap((validation, at) =>
    ['expression', 'messageExpression'].flatMap((name) => {
      const source = textAt(validation, name)
      if (source === '') return []
      const wrong = checks.flatMap((one) => {
        const message = one.check(source)
        return message === undefined ? [] : [`${one.name}: ${message}\n`]
      })
      return wrong.length === 0
        ? []
        : [{ fieldRef: `spec.validations[${at}].${name}`, warning: wrong.join('\n') }]
    }),
  )
}

/** Tells what is wrong with an expression for objects of the type. */
function createCheck(
  spec: JsonObject,
  type: ResourceType,
  types: TypeRegistry,
): (source: string) => string | undefined {
  const object = typeOfResource(type)
  const params = paramsTypeOf(spec, types)
  const typed = new Map([
    ['object', object],
    ['oldObject', object],
    ...(params === undefined ? [] : [['params', params] as const]),
  ])
  const variables = new Map<string, CelType>()
  const environment = () => {
    const plain = policyEnvironment(params !== undefined, variables)
    return { ...plain, variables: new Map([...plain.variables, ...typed]) }
  }
  for (const variable of objectsAt(spec, 'variables')) {
    const compiled = compileExpression(textAt(variable, 'expression'), environment(), cel.dyn)
    variables.set(textAt(variable, 'name'), compiled.ok ? compiled.value.type : cel.dyn)
  }
  const final = environment()
  return (source) => {
    const compiled = compileExpression(source, final, cel.dyn)
    return compiled.ok ? undefined : compiled.failure.message
  }
}

/** Undefined = the policy takes none. */
function paramsTypeOf(spec: JsonObject, types: TypeRegistry): CelType | undefined {
  const paramKind = objectAt(spec, 'paramKind')
  if (paramKind === undefined) return undefined
  const apiVersion = textAt(paramKind, 'apiVersion')
  const slash = apiVersion.indexOf('/')
  const group = apiVersion.slice(0, Math.max(0, slash))
  const type = types.kind(group, apiVersion.slice(slash + 1), textAt(paramKind, 'kind'))
  return type === undefined ? cel.dyn : typeOfResource(type)
}

/** By group, version and kind. */
function matchedTypes(spec: JsonObject, types: TypeRegistry): readonly ResourceType[] {
  const found = new Map<string, ResourceType>()
  for (const rule of objectsAt(objectAt(spec, 'matchConstraints') ?? {}, 'resourceRules')) {
    let count = 0
    for (const type of namedTypes(rule, types)) {
      if (count === typesMax) return inOrder(found)
      found.set(`${type.group}\n${type.version}\n${type.kind}`, type)
      count++
    }
  }
  return inOrder(found)
}

function inOrder(types: ReadonlyMap<string, ResourceType>): readonly ResourceType[] {
  return [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, type]) => type)
}

function namedTypes(rule: JsonObject, types: TypeRegistry): readonly ResourceType[] {
  const [groups, versions] = [textsOf(rule, 'apiGroups'), textsOf(rule, 'apiVersions')]
  if ([...groups, ...versions].some((name) => name.includes('*'))) return []
  const resources = textsOf(rule, 'resources').filter((name) => !/[*/]/.test(name))
  return groups.flatMap((group) =>
    versions.flatMap((version) =>
      resources.flatMap((resource) => types.resource(group, version, resource) ?? []),
    ),
  )
}

function textsOf(rule: JsonObject, name: string): readonly string[] {
  const value = rule[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').sort() : []
}
