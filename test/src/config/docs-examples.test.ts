/** The configuration files that the documentation shows are such files. */

import t from 'tap'
import { parseAuditPolicy } from '../../../src/audit/policy-file.ts'
import { parseAuthenticationConfig } from '../../../src/config/authentication-config.ts'
import { parseAuthorizationConfig } from '../../../src/config/authorization-config.ts'
import { createNames } from '../../../src/names/names.ts'
import { sources } from '../../house/sources.ts'

const names = createNames('kubernetes')
const [operations] = sources('docs/operations.md')
const blocks = (operations?.text ?? '').match(/(?:^ {4}.*\n)+/gm) ?? []

function example(kind: string): string {
  const found = blocks
    .filter((block) => block.includes(`kind: ${kind}`))
    .map((block) => block.replace(/^ {4}/gm, ''))
  t.equal(found.length, 1, kind)
  return found[0] ?? ''
}

t.test('examples', (t) => {
  const authentication = parseAuthenticationConfig(example('AuthenticationConfiguration'), {
    names,
    disallowedIssuers: [],
  })
  t.match(authentication, {
    ok: true,
    value: [{ issuer: 'https://issuer.example', groups: { prefix: 'example:' } }],
  })
  const authorization = parseAuthorizationConfig(example('AuthorizationConfiguration'), names)
  t.match(authorization, {
    ok: true,
    value: [{ mode: 'Node' }, { mode: 'RBAC' }, { webhook: { name: 'audit' } }],
  })
  t.match(parseAuditPolicy(example('Policy'), names), { ok: true, value: { rules: [{ users: [/./] }] } })
  t.end()
})
