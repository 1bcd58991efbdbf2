/**
 * The file of `--authorization-config`: authorizers in the order in which they are asked.
 *
 * Source: specification, "Authorization" 6.
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import type { BuiltInMode } from '../authz/modes.ts'
import type { AuthorizationWebhookSettings } from '../authz/webhook/settings.ts'
import { isJsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { duplicate, invalidValue, notSupported, required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import { describeCause } from './authentication-config.ts'
import { checkWebhook } from './authorization-webhook.ts'
import { type ConfigKind, objectsIn, parseConfigFile, textIn } from './config-file.ts'

export type AuthorizerSettings =
  | { readonly type: 'builtIn'; readonly mode: BuiltInMode; readonly name: string }
  | { readonly type: 'webhook'; readonly webhook: AuthorizationWebhookSettings }

const configKind: ConfigKind = {
  kind: 'AuthorizationConfiguration',
  versions: ['v1beta1', 'v1alpha1'],
  fields: {
    authorizers: {
      list: {
        fields: {
          type: 'string',
          name: 'string',
          webhook: {
            fields: {
              authorizedTTL: 'string',
              unauthorizedTTL: 'string',
              timeout: 'string',
              subjectAccessReviewVersion: 'string',
              matchConditionSubjectAccessReviewVersion: 'string',
              failurePolicy: 'string',
              connectionInfo: { fields: { type: 'string', kubeConfigFile: 'string' } },
              matchConditions: { list: { fields: { expression: 'string' } } },
            },
          },
        },
      },
    },
  },
}

/** The others belong to flags: ABAC has a file of its own, AlwaysAllow and AlwaysDeny are for tests. */
const builtInTypes = ['Node', 'RBAC'] as const
const types: readonly string[] = [...builtInTypes, 'Webhook']

/** Fails with all problems, each with the path of its field. */
export function parseAuthorizationConfig(
  text: string,
  names: Names,
): Result<readonly AuthorizerSettings[], string> {
  const parsed = parseConfigFile(text, configKind, names)
  if (!parsed.ok) return parsed
  const authorizers = objectsIn(parsed.value, 'authorizers')
  const causes: Cause[] = []
  if (authorizers.length === 0)
    causes.push(required('authorizers', 'at least one authorization mode must be defined'))
  const settings: AuthorizerSettings[] = []
  const [seenTypes, seenNames] = [new Set<string>(), new Set<string>()]
  for (const [at, authorizer] of authorizers.entries()) {
    const path = `authorizers[${at}]`
    const [type, name, webhook] = [
      textIn(authorizer, 'type'),
      textIn(authorizer, 'name'),
      authorizer['webhook'],
    ]
    if (type === '') causes.push(required(`${path}.type`))
    else if (!types.includes(type)) causes.push(notSupported(`${path}.type`, type, types))
    else if (type !== 'Webhook' && seenTypes.has(type)) causes.push(duplicate(`${path}.type`, type))
    seenTypes.add(type)
    causes.push(...nameCauses(name, `${path}.name`, seenNames))
    seenNames.add(name)
    const mode = builtInTypes.find((one) => one === type)
    if (mode !== undefined) {
      if (isJsonObject(webhook))
        causes.push(invalidValue(`${path}.webhook`, 'non-null', 'may only be specified when type=Webhook'))
      settings.push({ type: 'builtIn', mode, name })
    } else if (type === 'Webhook') {
      if (!isJsonObject(webhook)) causes.push(required(`${path}.webhook`, 'required when type=Webhook'))
      else settings.push({ type: 'webhook', webhook: checkWebhook(name, webhook, `${path}.webhook`, causes) })
    }
  }
  return causes.length === 0 ? ok(settings) : fail(causes.map(describeCause).join('; '))
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const nameLengthMax = 253

function nameCauses(name: string, field: string, seen: ReadonlySet<string>): readonly Cause[] {
  if (name === '') return [required(field)]
  if (seen.has(name)) return [duplicate(field, name)]
  if (subdomain.test(name) && name.length <= nameLengthMax) return []
  return [
    invalidValue(
      field,
      name,
      "authorizer name is invalid: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ),
  ]
}
