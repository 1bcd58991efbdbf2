/**
 * What a stored role or binding lacks of its default. Nothing that somebody added is taken away.
 *
 * Source: specification, "Access-control resources": at every start missing permissions and subjects are restored,
 * unless the autoupdate annotation is `false`.
 */

import { isJsonObject, type JsonValue } from '../../json.ts'
import type { ApiObject, ObjectMeta } from '../../types/object.ts'
import { compactRules, missingRules } from './covers.ts'
import type { PolicyObject } from './defaults/notation.ts'
import { roleRefOf, ruleJson, rulesOf, subjectsOf } from './rule.ts'

/** The stored role with what it lacks; undefined = it lacks nothing, or wants to be left alone. */
export function reconciledRole(
  stored: ApiObject,
  wanted: PolicyObject,
  autoupdate: string,
): ApiObject | undefined {
  if (isProtected(stored, autoupdate)) return undefined
  const wantedObject: ApiObject = { ...wanted }
  const missing = compactRules(missingRules(rulesOf(stored), rulesOf(wantedObject))).map(ruleJson)
  const selectors = missingSelectors(stored['aggregationRule'], wanted['aggregationRule'])
  const metadata = withMissingMarks(stored.metadata, wanted)
  if (missing.length === 0 && selectors.length === 0 && metadata === undefined) return undefined
  return {
    ...stored,
    metadata: metadata ?? stored.metadata,
    ...(missing.length === 0 ? {} : { rules: [...list(stored['rules']), ...missing] }),
    ...(selectors.length === 0
      ? {}
      : {
          aggregationRule: {
            clusterRoleSelectors: [...selectorsOf(stored['aggregationRule']), ...selectors],
          },
        }),
  }
}

/** `recreate`: the binding is to another role, which cannot be changed. Undefined as for roles. */
export function reconciledBinding(
  stored: ApiObject,
  wanted: PolicyObject,
  autoupdate: string,
): ApiObject | 'recreate' | undefined {
  if (isProtected(stored, autoupdate)) return undefined
  const wantedObject: ApiObject = { ...wanted }
  if (!same(roleRefOf(stored), roleRefOf(wantedObject))) return 'recreate'
  const have = subjectsOf(stored)
  const wantedSubjects = list(wanted['subjects'])
  const missing = subjectsOf(wantedObject).flatMap((subject, at) =>
    have.some((one) => same(one, subject)) ? [] : [wantedSubjects[at] ?? null],
  )
  const metadata = withMissingMarks(stored.metadata, wanted)
  if (missing.length === 0 && metadata === undefined) return undefined
  return {
    ...stored,
    metadata: metadata ?? stored.metadata,
    ...(missing.length === 0 ? {} : { subjects: [...list(stored['subjects']), ...missing] }),
  }
}

function isProtected({ metadata }: ApiObject, autoupdate: string): boolean {
  return metadata.annotations?.[autoupdate] === 'false'
}

/** Labels and annotations that are missing; those that are there stay as they are. Undefined = none are missing. */
function withMissingMarks(stored: ObjectMeta, { metadata: wanted }: PolicyObject): ObjectMeta | undefined {
  const { labels = {}, annotations = {} } = stored
  const lacks = (have: Readonly<Record<string, string>>, marks: Readonly<Record<string, string>>) =>
    Object.keys(marks).some((key) => !Object.hasOwn(have, key))
  if (!lacks(labels, wanted.labels) && !lacks(annotations, wanted.annotations)) return undefined
  return {
    ...stored,
    labels: { ...wanted.labels, ...labels },
    annotations: { ...wanted.annotations, ...annotations },
  }
}

type Value = JsonValue | ObjectMeta | undefined

function missingSelectors(stored: Value, wanted: Value): readonly JsonValue[] {
  const have = selectorsOf(stored)
  return selectorsOf(wanted).filter((one) => !have.some((other) => same(one, other)))
}

function selectorsOf(rule: Value): readonly JsonValue[] {
  return isJsonObject(rule) ? list(rule['clusterRoleSelectors']) : []
}

function list(value: Value): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
