/** Conditions that say of a definition what its schemas are, and what its group asks for. */

import t from 'tap'
import { isJudged, judge } from '../../../../src/crd/definition/judgement.ts'
import { createNames, type DialectName } from '../../../../src/names/names.ts'
import type { ApiObject } from '../../../../src/types/object.ts'
import { changed, type Json } from '../../types/validation.ts'
import { properties, schema, widgets } from './widgets.ts'

const now = '2024-01-01T00:00:00Z'

function judged(body: Json, dialect: DialectName = 'kubernetes'): Json {
  const names = createNames(dialect)
  const object: ApiObject = structuredClone(body)
  const before = isJudged(object, names)
  judge(object, names, now)
  if (!isJudged(object, names)) throw new Error('it is judged, and does not say so')
  return before ? [] : (object['status'] as Json).conditions
}

t.test('of schemas that are structural nothing is said', (t) => {
  t.strictSame(judged(widgets), [])
  t.end()
})

t.test('what is not structural is listed', (t) => {
  const one = judged(changed(widgets, { [`${properties}.name`]: {} }))
  const at = 'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[name].type'
  const message = `${at}: Required value: must not be empty for specified object fields`
  const condition = { type: 'NonStructuralSchema', status: 'True', lastTransitionTime: now }
  t.strictSame(one, [{ ...condition, reason: 'Violations', message }])
  const two = judged(changed(widgets, { [`${properties}.name`]: {}, 'spec.preserveUnknownFields': true }))
  t.equal(two[0].message, `[spec.preserveUnknownFields: Invalid value: true: must be false, ${message}]`)
  t.match(judged(changed(widgets, { [`${schema}.$schema`]: 'http://x' })), [
    {
      status: 'Unknown',
      reason: 'StructuralError',
      message: "failed to check validation schema for version v1: OpenAPIV3Schema 'schema' is not supported",
    },
  ])
  t.end()
})

t.test('a condition goes with its reason, the others stay', (t) => {
  const names = createNames('kubernetes')
  const other = { type: 'Established', status: 'True' }
  const object: ApiObject = changed(widgets, {
    'status.conditions': [{ type: 'NonStructuralSchema', status: 'True', reason: 'Violations' }, other],
  })
  t.notOk(isJudged(object, names))
  judge(object, names, now)
  t.strictSame((object['status'] as Json).conditions, [other])
  t.end()
})

t.test('groups of the community ask for approval', (t) => {
  const see = ', see https://github.com/kubernetes/enhancements/pull/1111'
  const must = 'protected groups must have approval annotation "api-approved.kubernetes.io"'
  const table: [annotation: string, status: string, reason: string, message: string][] = [
    ['', 'False', 'MissingAnnotation', `${must}${see}`],
    [
      'soon',
      'False',
      'InvalidAnnotation',
      `${must} with either a URL or a reason starting with "unapproved"${see}`,
    ],
    ['unapproved, a test', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, a test"'],
    ['https://x.y/1', 'True', 'ApprovedAnnotation', 'approved in https://x.y/1'],
  ]
  for (const [annotation, status, reason, message] of table) {
    const body = changed(widgets, { 'spec.group': 'a.k8s.io' })
    body.metadata.annotations = { 'api-approved.kubernetes.io': annotation }
    const type = 'KubernetesAPIApprovalPolicyConformant'
    t.strictSame(judged(body), [{ type, status, lastTransitionTime: now, reason, message }])
    t.strictSame(judged(body, 'cluster'), [], 'not of this dialect')
  }
  t.match(judged(changed(widgets, { 'spec.group': 'cluster.io' }), 'cluster'), [
    {
      type: 'ClusterAPIApprovalPolicyConformant',
      message: 'protected groups must have approval annotation "api-approved.cluster.io"',
    },
  ])
  t.end()
})
