/** From what a request asks for to what is authorized. Source: specification, "Authorization" 2–4. */

import type { Query } from '../pipeline/query.ts'
import { type RequestInfo, scopeNamespace } from '../pipeline/request-info.ts'
import { parseFieldSelector } from '../storage/selector/field-selector.ts'
import type { RequestAttributes } from './authorizer.ts'

/** What authorizers are told of a request. */
export function attributesOf(info: RequestInfo, query: Query): RequestAttributes {
  if (info.type === 'nonResource') return info
  const { type, verb = '', group, version, resource, subresource } = info
  const name = info.name === '' && (verb === 'list' || verb === 'watch') ? selectedName(query) : info.name
  return { type, verb, group, version, namespace: scopeNamespace(info), resource, subresource, name }
}

const noName = /^\.{1,2}$|[/%]/

/** A list or watch of one object by `metadata.name=…` counts as one of that name. */
function selectedName(query: Query): string {
  const text = query.text('fieldSelector')
  if (text === undefined || !text.includes('metadata.name')) return ''
  const selector = parseFieldSelector(text)
  if (!selector.ok) return ''
  const found = selector.value.find(({ name, operator }) => name === 'metadata.name' && operator === 'in')
  const [name = ''] = found?.values ?? []
  return noName.test(name) ? '' : name
}
