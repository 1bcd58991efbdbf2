/** Reads the file of `--audit-policy-file`: strictly, and naming the place of each mistake. */

import { fail, ok, type Result } from '../../store/contract.ts'
import { type ConfigKind, objectsIn, parseConfigFile, textIn, textsIn } from '../config/config-file.ts'
import type { Shape } from '../config/strict-shape.ts'
import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { nameProblems } from '../registry/name-format.ts'
import { invalidValue, notSupported, required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import {
  type AuditLevel,
  type AuditPolicy,
  type AuditRule,
  type AuditStage,
  auditLevels,
  auditStages,
  type GroupResources,
} from './policy.ts'

const texts: Shape = { list: 'string' }

const policyKind: ConfigKind = {
  group: 'audit.{groups}',
  kind: 'Policy',
  versions: ['v1'],
  fields: {
    metadata: { fields: { name: 'string', namespace: 'string', creationTimestamp: 'string' } },
    omitStages: texts,
    omitManagedFields: 'boolean',
    rules: {
      list: {
        fields: {
          level: 'string',
          users: texts,
          userGroups: texts,
          verbs: texts,
          resources: { list: { fields: { group: 'string', resources: texts, resourceNames: texts } } },
          namespaces: texts,
          nonResourceURLs: texts,
          omitStages: texts,
          omitManagedFields: 'boolean',
        },
      },
    },
  },
}

/** Fails with all that is wrong in one sentence. */
export function parseAuditPolicy(text: string, names: Names): Result<AuditPolicy, string> {
  const read = parseConfigFile(text, policyKind, names)
  if (!read.ok) return read
  const causes: Cause[] = []
  const policy: AuditPolicy = {
    omitStages: stagesOf(read.value, 'omitStages', causes),
    omitManagedFields: read.value['omitManagedFields'] === true,
    rules: objectsIn(read.value, 'rules').map((rule, at) => ruleOf(rule, `rules[${at}]`, causes)),
  }
  if (causes.length > 0) return fail(causes.map(({ field, message }) => `${field}: ${message}`).join(', '))
  return policy.rules.length === 0 ? fail('loaded illegal policy with 0 rules') : ok(policy)
}

function ruleOf(rule: JsonObject, path: string, causes: Cause[]): AuditRule {
  const { omitManagedFields } = rule
  const made: AuditRule = {
    level: levelOf(textIn(rule, 'level'), `${path}.level`, causes),
    users: textsIn(rule, 'users'),
    userGroups: textsIn(rule, 'userGroups'),
    verbs: textsIn(rule, 'verbs'),
    nonResourceUrls: urlsOf(rule, `${path}.nonResourceURLs`, causes),
    resources: objectsIn(rule, 'resources').map((one, at) =>
      groupOf(one, `${path}.resources[${at}]`, causes),
    ),
    namespaces: textsIn(rule, 'namespaces'),
    omitStages: stagesOf(rule, 'omitStages', causes, `${path}.`),
    omitManagedFields: typeof omitManagedFields === 'boolean' ? omitManagedFields : undefined,
  }
  if (made.nonResourceUrls.length > 0 && made.resources.length + made.namespaces.length > 0) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs'
    causes.push(invalidValue(`${path}.nonResourceURLs`, made.nonResourceUrls, why))
  }
  return made
}

function levelOf(text: string, field: string, causes: Cause[]): AuditLevel {
  const level = auditLevels.find((one) => one === text)
  if (level !== undefined) return level
  causes.push(text === '' ? required(field) : notSupported(field, text, auditLevels))
  return 'None'
}

function urlsOf(rule: JsonObject, path: string, causes: Cause[]): readonly string[] {
  const urls = textsIn(rule, 'nonResourceURLs')
  for (const [at, url] of urls.entries()) {
    if (url === '*') continue
    const field = `${path}[${at}]`
    if (!url.startsWith('/'))
      causes.push(invalidValue(field, url, "non-resource URL rules must begin with a '/' character"))
    if (url.slice(0, -1).includes('*'))
      causes.push(
        invalidValue(field, url, "non-resource URL wildcards '*' must be the final character of the rule"),
      )
  }
  return urls
}

function groupOf(object: JsonObject, path: string, causes: Cause[]): GroupResources {
  const group = textIn(object, 'group')
  const [resources, resourceNames] = [textsIn(object, 'resources'), textsIn(object, 'resourceNames')]
  const problems = group === '' ? [] : nameProblems(group, 'subdomain')
  if (problems.length > 0) causes.push(invalidValue(`${path}.group`, group, problems.join(',')))
  if (resourceNames.length > 0 && resources.length === 0) {
    const why = 'using resourceNames requires at least one resource'
    causes.push(invalidValue(`${path}.resourceNames`, resourceNames, why))
  }
  return { group, resources, resourceNames }
}

function stagesOf(object: JsonObject, name: string, causes: Cause[], before = ''): readonly AuditStage[] {
  return textsIn(object, name).flatMap((text, at) => {
    const stage = auditStages.find((one) => one === text)
    if (stage !== undefined) return [stage]
    const why = `allowed stages are ${auditStages.join(',')}`
    causes.push(invalidValue(`${before}${name}[${at}]`, text, why))
    return []
  })
}
