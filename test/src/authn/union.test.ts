/** Several methods together: what each says × what the request becomes. */

import t from 'tap'
import {
  type Authentication,
  type Authenticator,
  createAuthenticators,
  createTokenAuthenticators,
} from '../../../src/authn/authenticate.ts'
import { fakeExchange } from '../../support/fake-exchange.ts'

function user(name: string): Authentication {
  return { type: 'user', user: { name, uid: '', groups: [], extra: new Map() } }
}

const answers: Readonly<Record<string, Authentication>> = {
  nothing: { type: 'none' },
  refuses: { type: 'refused', reason: 'it is bad' },
  alice: user('alice'),
  bob: user('bob'),
}

const table = [
  // methods in order                anonymous  outcome
  [['nothing', 'nothing'], true, 'system:anonymous'],
  [['nothing', 'nothing'], false, 'refused'],
  [['refuses', 'nothing'], true, 'refused'],
  [['nothing', 'refuses'], true, 'refused'],
  [['refuses', 'alice'], true, 'alice'],
  [['alice', 'refuses'], true, 'alice'],
  [['alice', 'bob'], false, 'alice'],
  [[], true, 'system:anonymous'],
  [[], false, 'refused'],
] as const

t.test('the first method that names a user decides; a refusal is never anonymous', async (t) => {
  const { exchange } = fakeExchange({ method: 'GET', target: '/api' })
  for (const [said, anonymousAllowed, outcome] of table) {
    const methods = said.map(
      (name): Authenticator => ({
        authenticate: async () => answers[name] ?? { type: 'none' },
      }),
    )
    const answer = await createAuthenticators(methods, { anonymousAllowed }).authenticate(exchange)
    t.equal(answer.type === 'user' ? answer.user.name : answer.type, outcome, `${said.join(', ')}`)
  }
})

t.test('a token that no kind knows is refused, with the reasons of those that gave one', async (t) => {
  const kinds = ['nothing', 'refuses', 'refuses'].map((name) => ({
    authenticateToken: () => answers[name] ?? { type: 'none' as const },
  }))
  t.same(await createTokenAuthenticators(kinds).authenticateToken('x'), {
    type: 'refused',
    reason: 'it is bad; it is bad',
  })
  t.same(await createTokenAuthenticators([]).authenticateToken('x'), { type: 'refused' })
})
