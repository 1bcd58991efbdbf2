/** What the status of policies says of their expressions. */

import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { startInProcess } from '../../support/in-process-server.ts'
import { clientOf, cronTabs, establish } from '../crd/serving/crontabs.ts'

const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'

interface Rule {
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  readonly resources: readonly string[]
}

const deployments: Rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }
const crontabs: Rule = { apiGroups: ['stable.example.com'], apiVersions: ['v1'], resources: ['crontabs'] }

function policy(name: string, rules: readonly Rule[], spec: object): object {
  const resourceRules = rules.map((rule) => ({ ...rule, operations: ['CREATE', 'UPDATE'] }))
  return {
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, ...spec },
  }
}

const one = (expression: string, more: object = {}): object => ({ validations: [{ expression, ...more }] })

t.test('warnings of types', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, cronTabs())
  let count = 0
  const checked = async (rules: readonly Rule[], spec: object) => {
    const name = `policy-${count++}`
    const created = await client.post(path, policy(name, rules, spec))
    t.equal(created.status, 201, JSON.stringify(created.body))
    let status = created.body.status
    await eventually(`${name} to be looked at`, async () => {
      status = (await client.get(`${path}/${name}`)).body.status
      return status?.observedGeneration === 1
    })
    return status.typeChecking
  }

  const good = one(
    "object.spec.replicas > 1 && object.metadata.labels['a'] == 'b' && request.operation == 'CREATE'",
  )
  t.same(await checked([deployments], good), {}, 'nothing is wrong')
  t.same(await checked([deployments], one('object.spec.replica > 1')), {
    expressionWarnings: [
      {
        fieldRef: 'spec.validations[0].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica > 1\n | ...........^\n",
      },
    ],
  })
  const strangers = await checked(
    [{ ...deployments, resources: ['statefulsets', 'deployments', 'deployments/scale', '*'] }],
    {
      validations: [
        {
          expression: 'object.spec.strategy.type != "Recreate"',
          messageExpression: 'string(object.spec.replicas)',
        },
      ],
    },
  )
  t.match(strangers, { expressionWarnings: [{ warning: /^apps\/v1, Kind=StatefulSet: .*'strategy'/ }] })
  t.equal(strangers.expressionWarnings.length, 1, 'what is right for one type is wrong for another')
  t.match(await checked([crontabs], one('object.spec.replicas == "2" || object.metadata.name == ""')), {
    expressionWarnings: [
      { warning: /^stable\.example\.com\/v1, Kind=CronTab: .*'_==_' applied to '\(int, string\)'/ },
    ],
  })
  const variables = { variables: [{ name: 'n', expression: 'object.spec.replicas' }] }
  t.same(await checked([deployments], { ...variables, ...one('variables.n > 1') }), {})
  t.match(await checked([deployments], { ...variables, ...one('variables.n == "1"') }), {
    expressionWarnings: [{ warning: /'\(int, string\)'/ }],
  })
  t.same(
    await checked([{ ...deployments, apiGroups: ['*'] }], one('object.nonsense == 1')),
    {},
    'nothing is said of wildcards',
  )
  const params = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }
  t.same(await checked([deployments], { ...params, ...one("params.data['a'] == 'b'") }), {})
  t.match(await checked([deployments], { ...params, ...one("params.date == 'b'") }), {
    expressionWarnings: [{ warning: /undefined field 'date'/ }],
  })

  const changed = await client.patch(`${path}/policy-1`, { spec: one('object.spec.replicas > 1') })
  t.equal(changed.body.metadata.generation, 2)
  await eventually('the change to be looked at', async () => {
    const { status } = (await client.get(`${path}/policy-1`)).body
    return status.observedGeneration === 2 && status.typeChecking.expressionWarnings === undefined
  })
})
