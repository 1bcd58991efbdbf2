/** Columns of ingresses, network policies and addresses. */

import { isJsonObject } from '../../json.ts'
import { ageCell, ageColumn, firstOf, loadBalancerAddresses, nameColumn } from '../columns/common.ts'
import { selectorText } from '../columns/labels.ts'
import { countAt, objectsAt, textAt, textsAt, valueOr } from '../columns/read.ts'
import { type Row, rowOf, type TableColumns, tableOf, text } from '../columns/table.ts'

const hostsShownMax = 3

/** Rules without a host take part in the number of those that are not shown. */
function hosts({ spec }: Row): string {
  const rules = objectsAt(spec, 'rules').map((rule) => textAt(rule, 'host'))
  const shown: string[] = []
  let more = false
  for (const host of rules) {
    if (shown.length === hostsShownMax) more = true
    else if (host !== '') shown.push(host)
  }
  if (shown.length === 0) return '*'
  return firstOf(shown, hostsShownMax, more ? rules.length : shown.length, ',')
}

function parameters({ spec }: Row): string {
  const reference = spec['parameters']
  if (!isJsonObject(reference)) return '<none>'
  const group = textAt(reference, 'apiGroup')
  const kind = textAt(reference, 'kind')
  return `${group === '' ? kind : `${kind}.${group}`}/${textAt(reference, 'name')}`
}

/** `service/default/web`; the group stands behind the resource where there is one. */
function parent({ spec }: Row): string {
  const reference = spec['parentRef']
  if (!isJsonObject(reference)) return '<none>'
  const group = textAt(reference, 'group')
  const resource = textAt(reference, 'resource')
  const parts = [
    (group === '' ? resource : `${resource}.${group}`).toLowerCase(),
    textAt(reference, 'namespace'),
    textAt(reference, 'name'),
  ]
  return parts.filter((part, index) => index !== 1 || part !== '').join('/')
}

const addressTable = tableOf([nameColumn, text('ParentRef', 'What the address belongs to.', parent)])

/** Clients of this API have always been sent an age here for which there is no column. */
const addressColumns: TableColumns = {
  ...addressTable,
  cells: (object, nowMs) => [...addressTable.cells(object, nowMs), ageCell(rowOf(object, nowMs))],
}

export const networkingColumns: Readonly<Record<string, TableColumns>> = {
  IPAddress: addressColumns,
  Ingress: tableOf([
    nameColumn,
    text('Class', 'Which controller serves it.', ({ spec }) => valueOr(spec['ingressClassName'], '<none>')),
    text('Hosts', 'Hosts that it answers for.', hosts),
    text('Address', 'Where it answers.', ({ status }) => loadBalancerAddresses(status).join(',')),
    text('Ports', 'Ports at which it answers.', ({ spec }) => (countAt(spec, 'tls') > 0 ? '80, 443' : '80')),
    ageColumn,
  ]),
  IngressClass: tableOf([
    nameColumn,
    text('Controller', 'Who serves ingresses of the class.', ({ spec }) => textAt(spec, 'controller')),
    text('Parameters', 'Where its settings are.', parameters),
    ageColumn,
  ]),
  NetworkPolicy: tableOf([
    nameColumn,
    text('Pod-Selector', 'Labels of the pods that it is for.', ({ spec }) =>
      selectorText(spec['podSelector']),
    ),
    ageColumn,
  ]),
  ServiceCIDR: tableOf([
    nameColumn,
    text('CIDRs', 'Ranges of addresses.', ({ spec }) => textsAt(spec, 'cidrs').join(',')),
    ageColumn,
  ]),
}
