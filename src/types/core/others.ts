/** Core types with one peculiarity each. */

import { invalidValue } from '../../status/causes.ts'
import { immutable } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import { labelMapText, scaleOf } from '../scale.ts'

/** A node's agent knows its state when it registers. */
export const node: ModuleFactory = () => ({ strategy: { keepsStatusOnCreate: true } })

export const replicationController: ModuleFactory = () => ({ scale: scaleOf(labelMapText) })

export const resourceQuota: ModuleFactory = () => ({ strategy: { validateUpdate: immutable('spec.scopes') } })

const serviceName = /^[a-z]([-a-z0-9]*[a-z0-9])?$/

/** Names of services become host names, which begin with a letter (RFC 1035). */
export const service: ModuleFactory = () => ({
  strategy: {
    validate({ metadata: { name = '' } }) {
      if (!/^[0-9]/.test(name) || serviceName.test(name)) return []
      const detail =
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
      return [invalidValue('metadata.name', name, detail)]
    },
  },
})
