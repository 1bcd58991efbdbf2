/** PodSecurity, check by check, and the labels that call for it. Source: Pod Security Standards. */

import t from 'tap'
import { createPodSecurity } from '../../../src/admission/plugins/pod-security.ts'
import { names } from '../types/types.ts'
import { attempt, lookupsOf, pod } from './trial.ts'

const label = 'pod-security.kubernetes.io/'

function pluginFor(labels: Readonly<Record<string, string>>) {
  return createPodSecurity(
    names,
    lookupsOf({
      'core/namespaces': [
        {
          metadata: {
            name: 'ns',
            labels: Object.fromEntries(Object.entries(labels).map(([k, v]) => [label + k, v])),
          },
        },
      ],
    }),
  )
}

const good = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
}
const container = (securityContext: object, name = 'c', more: object = {}): object => ({
  name,
  securityContext,
  ...more,
})
const one = (securityContext: object): object => ({ containers: [container(securityContext)] })

/** Spec, and what baseline has against it. */
const baseline: readonly (readonly [object, string, object?])[] = [
  [{ hostNetwork: true, hostPID: true }, 'host namespaces (hostNetwork=true, hostPID=true)'],
  [one({ privileged: true }), 'privileged (container "c" must not set securityContext.privileged=true)'],
  [
    { containers: [container({ privileged: true }, 'a'), container({ privileged: true }, 'b')] },
    'privileged (containers "a", "b" must not set securityContext.privileged=true)',
  ],
  [
    one({ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_ADMIN'] } }),
    'non-default capabilities (container "c" must not include "NET_ADMIN", "SYS_ADMIN" in securityContext.capabilities.add)',
  ],
  [{ volumes: [{ name: 'v', hostPath: { path: '/' } }] }, 'hostPath volumes (volume "v")'],
  [
    {
      containers: [container({}, 'c', { ports: [{ containerPort: 1, hostPort: 80 }, { containerPort: 2 }] })],
    },
    'hostPort (container "c" uses hostPort 80)',
  ],
  [
    one({ procMount: 'Unmasked' }),
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    { ...one({ seLinuxOptions: { type: 'x' } }), securityContext: { seLinuxOptions: { role: 'r' } } },
    'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "x"; role may not be set)',
  ],
  [
    one({ seccompProfile: { type: 'Unconfined' } }),
    'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [{ securityContext: { sysctls: [{ name: 'kernel.msgmax' }] } }, 'forbidden sysctls (kernel.msgmax)'],
  [
    { securityContext: { windowsOptions: { hostProcess: true } } },
    'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  [
    {},
    'forbidden AppArmor profile (annotation "container.apparmor.security.beta.kubernetes.io/c"="unconfined")',
    { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
  ],
  [
    { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
    'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
  ],
]

t.test('baseline', async (t) => {
  const plugin = pluginFor({ enforce: 'baseline' })
  for (const [spec, what, metadata] of baseline)
    t.equal(
      await attempt(plugin, { kind: 'v1 Pod', object: pod(spec, metadata) }),
      `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${what}`,
    )
  t.match(await attempt(plugin, { kind: 'v1 Pod', object: pod({}) }), pod({}))
})

const { runAsNonRoot: _root, ...rootly } = good

const restricted: readonly (readonly [object, string])[] = [
  [
    {},
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    one({ ...good, runAsNonRoot: false }),
    'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
  ],
  [one(rootly), 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)'],
  [one({ ...good, runAsUser: 0 }), 'runAsUser=0 (container "c" must not set runAsUser=0)'],
  [
    one({ ...good, capabilities: { drop: ['ALL'], add: ['CHOWN', 'NET_BIND_SERVICE'] } }),
    'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
  [
    {
      ...one(good),
      volumes: [
        { name: 'a', nfs: {} },
        { name: 'b', hostPath: {} },
        { name: 'd', emptyDir: {} },
      ],
    },
    'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
  ],
  [
    {
      ...one({ ...good, seccompProfile: undefined }),
      securityContext: { seccompProfile: { type: 'Unconfined' } },
    },
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
]

t.test('restricted', async (t) => {
  const plugin = pluginFor({ enforce: 'restricted' })
  for (const [spec, what] of restricted)
    t.equal(
      await attempt(plugin, { kind: 'v1 Pod', object: pod(spec) }),
      `pods "p" is forbidden: violates PodSecurity "restricted:latest": ${what}`,
    )
  t.match(await attempt(plugin, { kind: 'v1 Pod', object: pod(one(good)) }), pod(one(good)))
  const inherits = { ...one({ ...rootly }), securityContext: { runAsNonRoot: true } }
  t.match(
    await attempt(plugin, { kind: 'v1 Pod', object: pod(inherits) }),
    pod(inherits),
    'the pod speaks for all',
  )
})

t.test('what a standard says depends on its version', async (t) => {
  const spec = { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_fin_timeout' }] } }
  const under = (version: string) =>
    attempt(pluginFor({ enforce: 'baseline', 'enforce-version': version }), {
      kind: 'v1 Pod',
      object: pod(spec),
    })
  t.match(await under('v1.29'), pod(spec))
  t.equal(
    await under('v1.28'),
    'pods "p" is forbidden: violates PodSecurity "baseline:v1.28": forbidden sysctls (net.ipv4.tcp_fin_timeout)',
  )
})

t.test('warnings: for pods and what makes pods, which is never refused', async (t) => {
  const warning = 'would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)'
  const template = { spec: pod({ hostIPC: true }) }
  const kinds: readonly (readonly [string, object])[] = [
    ['v1 Pod', pod({ hostIPC: true })],
    ['apps/v1 Deployment', { metadata: { name: 'd' }, spec: { template: { spec: { hostIPC: true } } } }],
    [
      'batch/v1 CronJob',
      { metadata: { name: 'd' }, spec: { jobTemplate: { spec: { template: { spec: { hostIPC: true } } } } } },
    ],
    ['v1 PodTemplate', { metadata: { name: 'd' }, template: { spec: { hostIPC: true } } }],
  ]
  for (const [kind, object] of kinds) {
    const warnings: string[] = []
    t.match(await attempt(pluginFor({ warn: 'baseline' }), { kind, object, warnings }), object, kind)
    t.same(warnings, [warning], kind)
  }
  const [kind, object] = kinds[1] ?? ['', template]
  t.match(await attempt(pluginFor({ enforce: 'baseline' }), { kind, object }), object, 'not refused')
})

t.test('a pod that is there may be changed in what does not matter here', async (t) => {
  const plugin = pluginFor({ enforce: 'baseline' })
  const update = { kind: 'v1 Pod', operation: 'UPDATE' as const, old: pod({ hostIPC: true }) }
  const labelled = pod({ hostIPC: true }, { labels: { a: 'b' } })
  t.match(await attempt(plugin, { ...update, object: labelled }), labelled)
  const other = pod({ hostIPC: true, containers: [{ name: 'c', image: 'other' }] })
  t.match(await attempt(plugin, { ...update, object: other }), /violates PodSecurity/)
})

t.test('labels', async (t) => {
  const namespace = (labels: object) => ({
    kind: 'v1 Namespace',
    object: { metadata: { name: 'n', labels } },
  })
  const plugin = pluginFor({})
  t.equal(
    await attempt(plugin, namespace({ [`${label}enforce`]: 'strict' })),
    'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
  )
  t.equal(
    await attempt(plugin, namespace({ [`${label}warn-version`]: '1.30' })),
    'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.30": must be "latest" or "v1.x"',
  )
  t.match(
    await attempt(pluginFor({ enforce: 'strict' }), { kind: 'v1 Pod', object: pod({}) }),
    /violates PodSecurity "restricted:latest"/,
    'what cannot be read counts as the strictest',
  )
})
