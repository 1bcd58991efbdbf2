/** Whom the containers of Windows pods run as. Source: Kubernetes API reference, WindowsSecurityContextOptions. */

import type { JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import { type Causes, checkGiven } from '../validation/checks.ts'
import { subdomainProblems } from '../validation/names.ts'
import { type Given, has, itemsIn, objectIn, textIn } from '../validation/read.ts'
import { containerLists } from './container-lists.ts'

const specBytesMax = 64 * 1024

/** The windowsOptions of a pod or a container. */
export function checkWindowsOptions(causes: Causes, path: string, options: Given): void {
  if (options === undefined) return
  checkGiven(causes, path, options, 'gmsaCredentialSpecName', subdomainProblems)
  const spec = textIn(options, 'gmsaCredentialSpec')
  const at = `${path}.gmsaCredentialSpec`
  if (has(options, 'gmsaCredentialSpec') && spec === '')
    causes.push(invalidValue(at, spec, 'gmsaCredentialSpec cannot be an empty string'))
  else if (Buffer.byteLength(spec) > specBytesMax)
    causes.push(invalidValue(at, spec, 'gmsaCredentialSpec size must be under 64 KiB'))
  if (!has(options, 'runAsUserName')) return
  const name = textIn(options, 'runAsUserName')
  for (const problem of accountProblems(name))
    causes.push(invalidValue(`${path}.runAsUserName`, name, problem))
}

const domainLengthMax = 255
const userLengthMax = 104
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`)
const notInUsers = /["/\\:;|=,+*?<>@[\]]/

/** `DOMAIN\USER`; the domain may be left out. */
function accountProblems(account: string): readonly string[] {
  if (account === '') return ['runAsUserName cannot be an empty string']
  if (/\p{Cc}/u.test(account)) return ['runAsUserName cannot contain control characters']
  const parts = account.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const [user = '', domain] = parts.reverse()
  const problems: string[] = []
  if (domain !== undefined && domain.length > domainLengthMax)
    problems.push(`runAsUserName's Domain length must be under ${domainLengthMax + 1} characters`)
  if (domain !== undefined && !netBiosName.test(domain) && !dnsName.test(domain))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  if (user === '') problems.push("runAsUserName's User cannot be empty")
  else if (user.length > userLengthMax)
    problems.push(`runAsUserName's User length must not be longer than ${userLengthMax} characters`)
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces")
  if (notInUsers.test(user))
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`)
  return problems
}

const hostProcessIn = (context: Given): boolean | undefined => {
  const value = objectIn(context, 'windowsOptions')?.['hostProcess']
  return typeof value === 'boolean' ? value : undefined
}

/** Containers that run on the host as its processes: all of a pod, or none. */
export function checkHostProcess(causes: Causes, path: string, spec: JsonObject): void {
  const ofPod = hostProcessIn(objectIn(spec, 'securityContext'))
  let [count, onHost] = [0, 0]
  for (const list of containerLists) {
    for (const [i, container] of itemsIn(spec, list).entries()) {
      const own = hostProcessIn(objectIn(container, 'securityContext'))
      if (own !== undefined && ofPod !== undefined && own !== ofPod)
        causes.push(
          invalidValue(
            `${path}.${list}[${i}].securityContext.windowsOptions.hostProcess`,
            own,
            `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
          ),
        )
      count++
      if (own ?? ofPod) onHost++
    }
  }
  if (onHost === 0) return
  if (onHost < count)
    causes.push(
      invalidValue(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    )
  if (spec['hostNetwork'] !== true)
    causes.push(
      invalidValue(
        `${path}.hostNetwork`,
        false,
        'hostNetwork must be true if pod contains any hostProcess containers',
      ),
    )
}
