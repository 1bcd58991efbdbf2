/**
 * Which controllers run: what `--controllers` says of each by its name. Pure.
 *
 * Source: specification, "Bootstrap tokens" (`--controllers=*,tokencleaner`).
 */

import { fail, ok, type Result } from '../../store/contract.ts'

/** By the short name, as flags have it; behind it the name that the controller gives itself. */
export const controllerNames = {
  bootstrapsigner: 'bootstrap-signer-controller',
  'clusterrole-aggregation': 'clusterrole-aggregation-controller',
  csrapproving: 'certificatesigningrequest-approving-controller',
  csrcleaner: 'certificatesigningrequest-cleaner-controller',
  csrsigning: 'certificatesigningrequest-signing-controller',
  garbagecollector: 'garbage-collector-controller',
  'legacy-service-account-token-cleaner': 'legacy-serviceaccount-token-cleaner-controller',
  namespace: 'namespace-controller',
  resourcequota: 'resourcequota-controller',
  'root-ca-cert-publisher': 'root-ca-certificate-publisher-controller',
  serviceaccount: 'serviceaccount-controller',
  'serviceaccount-token': 'serviceaccount-token-controller',
  tokencleaner: 'token-cleaner-controller',
  'validatingadmissionpolicy-status': 'validatingadmissionpolicy-status-controller',
} as const

export type ControllerName = keyof typeof controllerNames

/** They run only where somebody asks for them. */
const offByDefault: ReadonlySet<ControllerName> = new Set(['bootstrapsigner', 'tokencleaner'])

const all = Object.keys(controllerNames).filter(isControllerName)

function isControllerName(name: string): name is ControllerName {
  return Object.hasOwn(controllerNames, name)
}

/**
 * @param asked `*` = all that are on by default, `name` = this one, `-name` = not this one; the first that speaks of a
 * controller decides
 * @returns the failure is a sentence for the administrator
 */
export function selectControllers(asked: readonly string[]): Result<ReadonlySet<ControllerName>, string> {
  const known: ReadonlySet<string> = new Set([...all, ...Object.values(controllerNames), '*'])
  const unknown = asked.find((one) => !known.has(one.replace(/^-/, '')) || one === '-*')
  if (unknown !== undefined)
    return fail(
      `--controllers: ${JSON.stringify(unknown)} is not in the list of known controllers; there are ${all.join(', ')}`,
    )
  return ok(new Set(all.filter((name) => isSelected(name, asked))))
}

function isSelected(name: ControllerName, asked: readonly string[]): boolean {
  const names: readonly string[] = [name, controllerNames[name]]
  const decisive = asked.find((one) => names.includes(one.replace(/^-/, '')))
  if (decisive !== undefined) return !decisive.startsWith('-')
  return asked.includes('*') && !offByDefault.has(name)
}
