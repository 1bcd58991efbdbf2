/** Admission policies: rules as expressions, in the words that users of this API know. */

import t from 'tap'
import type { JsonObject } from '../../../src/json.ts'
import { eventually } from '../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'

const group = 'admissionregistration.k8s.io'
const maps = '/api/v1/namespaces/default/configmaps'

interface Answered {
  readonly status: number
  readonly warnings: readonly string[]
  readonly body: JsonObject
}

async function post(server: InProcessServer, target: string, body: JsonObject): Promise<Answered> {
  const answer = await server.request({ method: 'POST', target, body })
  const { warning } = answer.headers
  return {
    status: answer.status,
    warnings: Array.isArray(warning) ? warning : warning === undefined ? [] : [String(warning)],
    body: JSON.parse(answer.body.toString('utf8')),
  }
}

function policy(name: string, spec: JsonObject): JsonObject {
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
  ]
  return {
    apiVersion: `${group}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, ...spec },
  }
}

function binding(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: `${group}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${name}-binding` },
    spec: { policyName: name, validationActions: ['Deny'], ...spec },
  }
}

let installed = 0

/** Puts a policy into force, and waits until it is: what comes later comes with a marker of its own. */
async function install(server: InProcessServer, spec: JsonObject, bound: JsonObject = {}): Promise<void> {
  installed++
  const marker = { validations: [{ expression: `object.metadata.name != "probe-${installed}"` }] }
  for (const [name, one, how] of [
    ['p', spec, bound],
    [`marker-${installed}`, marker, {}],
  ] as const) {
    const made = await post(server, `/apis/${group}/v1/validatingadmissionpolicies`, policy(name, one))
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    const put = await post(server, `/apis/${group}/v1/validatingadmissionpolicybindings`, binding(name, how))
    if (put.status !== 201) throw new Error(JSON.stringify(put.body))
  }
  await eventually('the policy to be in force', async () => {
    const probe = { metadata: { name: `probe-${installed}` } }
    const { status, body } = await post(server, `${maps}?dryRun=All`, probe)
    return status === 422 && String(body['message']).includes(`'marker-${installed}'`)
  })
}

interface Row {
  readonly what: string
  readonly spec: JsonObject
  readonly binding?: JsonObject
  readonly data?: JsonObject
  /** Undefined = admitted. */
  readonly refused?: string
  readonly code?: number
  readonly reason?: string
  readonly warnings?: readonly string[]
}

const small = 'has(object.data) && size(object.data) < 2'
const two = { a: '1', b: '2' }
const denied =
  "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-binding' denied request: "

const rows: readonly Row[] = [
  { what: 'kept', spec: { validations: [{ expression: small }] }, data: { a: '1' } },
  {
    what: 'not kept',
    spec: { validations: [{ expression: ` ${small} ` }] },
    data: two,
    refused: `failed expression: ${small}`,
    code: 422,
    reason: 'Invalid',
  },
  {
    what: 'a message, and a reason',
    spec: { validations: [{ expression: small, message: 'too many', reason: 'Forbidden' }] },
    data: two,
    refused: 'too many',
    code: 403,
    reason: 'Forbidden',
  },
  {
    what: 'a message that is made',
    spec: {
      validations: [
        { expression: small, message: 'm', messageExpression: '"size " + string(size(object.data))' },
      ],
    },
    data: two,
    refused: 'size 2',
  },
  {
    what: 'a message of several lines is none',
    spec: { validations: [{ expression: small, message: 'm', messageExpression: '"a\\nb"' }] },
    data: two,
    refused: 'm',
  },
  {
    what: 'variables, in terms of others',
    spec: {
      variables: [
        { name: 'count', expression: 'size(object.data)' },
        { name: 'limit', expression: 'quantity("1k")' },
        { name: 'many', expression: 'variables.count > 1 && variables.limit.isGreaterThan(quantity("999"))' },
      ],
      validations: [
        { expression: '!variables.many', messageExpression: '"found " + string(variables.count)' },
      ],
    },
    data: two,
    refused: 'found 2',
  },
  {
    what: 'a variable that nobody names is not evaluated',
    spec: {
      variables: [{ name: 'bad', expression: 'object.none.none' }],
      validations: [{ expression: 'true || variables.bad == 1' }],
    },
  },
  {
    what: 'an expression fails',
    spec: { validations: [{ expression: 'object.spec.x == 1' }] },
    refused: "expression 'object.spec.x == 1' resulted in error: no such key: spec",
  },
  {
    what: 'an expression fails, which is ignored',
    spec: { failurePolicy: 'Ignore', validations: [{ expression: 'object.spec.x == 1' }] },
  },
  {
    what: 'a condition leaves it out',
    spec: {
      matchConditions: [{ name: 'c', expression: 'request.userInfo.username == "somebody"' }],
      validations: [{ expression: 'false' }],
    },
  },
  {
    what: 'a warning',
    spec: { validations: [{ expression: 'false', message: 'mind' }] },
    binding: { validationActions: ['Warn', 'Audit'] },
    warnings: [`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-binding': mind"`],
  },
  {
    what: 'the namespace',
    spec: { validations: [{ expression: 'namespaceObject.metadata.name != "default"', message: 'here' }] },
    refused: 'here',
  },
  {
    what: 'what the user may do',
    spec: {
      validations: [{ expression: '!authorizer.requestResource.check("create").allowed()', message: 'may' }],
    },
    refused: 'may',
  },
  {
    what: 'the binding is about something else',
    spec: { validations: [{ expression: 'false' }] },
    binding: { matchResources: { objectSelector: { matchLabels: { a: 'b' } } } },
  },
  {
    what: 'parameters',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      validations: [{ expression: 'size(object.data) < int(params.metadata.labels.limit)', message: 'many' }],
    },
    binding: { paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' } },
    data: two,
    refused: 'many',
  },
  {
    what: 'parameters by their labels',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      validations: [{ expression: 'params.metadata.name != "limit"', message: 'selected' }],
    },
    binding: { paramRef: { selector: { matchLabels: { limit: '2' } }, parameterNotFoundAction: 'Deny' } },
    refused: 'selected',
  },
  {
    what: 'no parameters',
    spec: { paramKind: { apiVersion: 'v1', kind: 'Secret' }, validations: [{ expression: 'true' }] },
    binding: { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    refused:
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
  },
  {
    what: 'no parameters, which is allowed',
    spec: { paramKind: { apiVersion: 'v1', kind: 'Secret' }, validations: [{ expression: 'false' }] },
    binding: { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } },
  },
]

for (const row of rows) {
  t.test(row.what, async (t) => {
    const server = await startInProcess()
    t.teardown(() => server.close())
    await post(server, '/api/v1/namespaces/default/secrets', {
      metadata: { name: 'limit', labels: { limit: '2' } },
    })
    await install(server, row.spec, row.binding)
    const { status, warnings, body } = await post(server, maps, {
      metadata: { name: 'm' },
      ...(row.data === undefined ? {} : { data: row.data }),
    })
    t.same(warnings, row.warnings ?? [])
    if (row.refused === undefined) t.equal(status, 201, JSON.stringify(body))
    else {
      t.equal(status, row.code ?? 422)
      t.match(body, {
        message: denied + row.refused,
        reason: row.reason ?? 'Invalid',
        details: {
          name: 'm',
          kind: 'configmaps',
          causes: [{ message: denied.replace(/^.*?: /, '') + row.refused }],
        },
      })
    }
  })
}

t.test('a kind of parameters that is not served', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  await install(server, {
    paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
    validations: [{ expression: 'true' }],
  })
  t.match((await post(server, maps, { metadata: { name: 'm' } })).body, {
    message:
      "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'",
  })
})

t.test('what was counted', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  await install(server, { validations: [{ expression: 'false' }] })
  await post(server, maps, { metadata: { name: 'm' } })
  t.match(
    await server.api.metricsText(),
    /apiserver_validating_admission_policy_check_total\{enforcement_action="deny",error_type="no_error",policy="p",policy_binding="p-binding"\} \d/,
  )
})

/** What is wrong with a policy, by field. */
const wrong: readonly (readonly [JsonObject, string, RegExp])[] = [
  [
    { validations: [{ expression: 'objet.x' }] },
    'spec.validations[0].expression',
    /compilation failed: .*undeclared reference to 'objet'/s,
  ],
  [{ validations: [{ expression: '1' }] }, 'spec.validations[0].expression', /must evaluate to bool$/],
  [
    { validations: [{ expression: 'true', messageExpression: '1' }] },
    'spec.validations[0].messageExpression',
    /must evaluate to string$/,
  ],
  [
    { validations: [{ expression: 'params.x == 1' }] },
    'spec.validations[0].expression',
    /undeclared reference to 'params'/,
  ],
  [
    { variables: [{ name: 'a', expression: 'variables.b' }], validations: [{ expression: 'true' }] },
    'spec.variables[0].expression',
    /undefined field 'b'/,
  ],
  [
    { auditAnnotations: [{ key: 'k', valueExpression: '1' }] },
    'spec.auditAnnotations[0].valueExpression',
    /must evaluate to one of \[string null\]$/,
  ],
]

t.test('expressions are compiled when they are written', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  for (const [spec, field, message] of wrong) {
    const { status, body } = await post(
      server,
      `/apis/${group}/v1/validatingadmissionpolicies`,
      policy('bad', spec),
    )
    t.equal(status, 422, field)
    t.match(body, { details: { causes: [{ field, message }] } })
  }
})
