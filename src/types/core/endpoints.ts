/** Endpoints: the addresses behind a service, all in one object. */

import { parseAddress } from '../../ip.ts'
import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkGiven, checkName, checkText, isPort, portText } from '../validation/checks.ts'
import { addressProblems, specialAddressProblems } from '../validation/ip.ts'
import {
  labelNameProblems,
  type Problems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../validation/names.ts'
import { itemsIn, jsonOf, numberIn, textIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const endpoints: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      for (const [i, subset] of itemsIn(jsonOf(object), 'subsets').entries()) {
        checkSubset(causes, `subsets[${i}]`, subset)
      }
    }),
  },
})

function checkSubset(causes: Causes, path: string, subset: JsonObject): void {
  const lists = ['addresses', 'notReadyAddresses']
  if (lists.every((list) => itemsIn(subset, list).length === 0))
    causes.push(required(path, 'must specify `addresses` or `notReadyAddresses`'))
  for (const list of lists) {
    for (const [i, address] of itemsIn(subset, list).entries()) {
      checkEndpointAddress(causes, `${path}.${list}[${i}]`, address)
    }
  }
  const ports = itemsIn(subset, 'ports')
  for (const [i, port] of ports.entries()) {
    const at = `${path}.ports[${i}]`
    if (textIn(port, 'name') === '' && ports.length > 1) causes.push(required(`${at}.name`))
    checkName(causes, at, port, 'name', labelNameProblems)
    checkGiven(causes, at, port, 'appProtocol', qualifiedNameProblems)
    const number = numberIn(port, 'port') ?? 0
    if (!isPort(number)) causes.push(invalidValue(`${at}.port`, number, portText))
  }
}

function checkEndpointAddress(causes: Causes, path: string, address: JsonObject): void {
  const ip = textIn(address, 'ip')
  checkText(causes, `${path}.ip`, ip, addressProblems)
  checkName(causes, path, address, 'hostname', labelNameProblems)
  checkGiven(causes, path, address, 'nodeName', subdomainProblems)
  checkText(causes, `${path}.ip`, ip, destinationProblems)
}

/** An address that traffic can be sent to. */
export function destinationProblems(text: string): Problems {
  const address = parseAddress(text)
  return address === undefined ? ['must be a valid IP address'] : specialAddressProblems(address)
}
