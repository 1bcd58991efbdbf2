/** Custom resources as people use them: defined, waited for, applied, shown in columns, scaled, explained, taken away. */

import { tellKubectl } from '../support/kubectl.ts'

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            description: What is to be done, and when.
            type: object
            required: [cronSpec]
            properties:
              cronSpec: {type: string, description: When., pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$'}
              image: {type: string, default: busybox}
              replicas: {type: integer, minimum: 1, maximum: 10}
          status:
            type: object
            properties:
              replicas: {type: integer}
              labelSelector: {type: string}
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
        labelSelectorPath: .status.labelSelector
    additionalPrinterColumns:
    - {name: Spec, type: string, jsonPath: .spec.cronSpec}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
`

const cronTab = (spec: string): string => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly}
spec: ${spec}
`

tellKubectl([
  {
    name: 'custom resources',
    files: {
      'definition.yaml': definition,
      'nightly.yaml': cronTab("{cronSpec: '* * * * */5', replicas: 3}"),
      'changed.yaml': cronTab("{cronSpec: '* * * * */6', replicas: 3, image: nginx}"),
      'wrong.yaml': cronTab('{cronSpec: never, replicas: 11}'),
      'unknown.yaml': cronTab("{cronSpec: '* * * * */5', unknown: 1}"),
    },
    rows: [
      { run: 'get crontabs', prints: /the server doesn't have a resource type "crontabs"/, exit: 1 },
      { run: 'create -f {dir}/definition.yaml', prints: /crontabs\.stable\.example\.com created/ },
      {
        run: 'wait --for=condition=Established crd/crontabs.stable.example.com',
        prints: /condition met/,
      },
      {
        run: 'api-resources --api-group=stable.example.com --no-headers',
        prints: /^crontabs +ct +stable\.example\.com\/v1 +true +CronTab\n$/,
      },
      { run: 'get ct', prints: /^$/ },
      { run: 'apply -f {dir}/nightly.yaml', prints: /^crontab\.stable\.example\.com\/nightly created\n$/ },
      { run: 'apply -f {dir}/nightly.yaml', prints: /nightly unchanged\n$/ },
      { run: 'get ct', prints: /^NAME +SPEC +REPLICAS +AGE\nnightly +\* \* \* \* \*\/5 +3 +\d+s\n$/ },
      { run: 'get all', prints: /crontab\.stable\.example\.com\/nightly/ },
      { run: 'get crontab nightly -o jsonpath={.spec.image}/{.metadata.generation}', prints: /^busybox\/1$/ },
      { run: 'diff -f {dir}/changed.yaml', prints: /\+ {2}image: nginx/, exit: 1 },
      { run: 'apply -f {dir}/changed.yaml', prints: /nightly configured\n$/ },
      {
        run: 'apply --server-side --force-conflicts -f {dir}/changed.yaml',
        prints: /nightly serverside-applied\n$/,
      },
      {
        run: 'apply -f {dir}/wrong.yaml',
        prints: /spec\.replicas in body should be less than or equal to 10/,
        exit: 1,
      },
      { run: 'apply -f {dir}/unknown.yaml', prints: /unknown field "spec\.unknown"/, exit: 1 },
      { run: 'scale crontab nightly --replicas=5', prints: /nightly scaled\n$/ },
      { run: 'get crontab nightly -o jsonpath={.spec.replicas}', prints: /^5$/ },
      { run: `patch ct nightly --type=merge -p '{"spec":{"replicas":6}}'`, prints: /nightly patched\n$/ },
      {
        run: `patch ct nightly --subresource=status --type=merge -p '{"status":{"replicas":6},"spec":{"replicas":1}}'`,
        prints: /nightly patched\n$/,
      },
      { run: 'get ct nightly -o jsonpath={.spec.replicas}/{.status.replicas}', prints: /^6\/6$/ },
      { run: 'label ct nightly tier=night', prints: /nightly labeled\n$/ },
      { run: 'get ct -l tier=night -o name', prints: /^crontab\.stable\.example\.com\/nightly\n$/ },
      { run: 'explain crontab.spec.cronSpec', prints: /FIELD: cronSpec <string>[\s\S]*When\./ },
      { run: 'describe ct nightly', prints: /Kind: +CronTab/ },
      { run: 'delete ct nightly', prints: /"nightly" deleted\n$/ },
      { run: 'apply -f {dir}/nightly.yaml', prints: /nightly created\n$/ },
      { run: 'delete -f {dir}/definition.yaml', prints: /"crontabs\.stable\.example\.com" deleted\n$/ },
      { run: 'get crd', prints: /No resources found|^$/ },
      {
        run: 'get --raw /apis/stable.example.com/v1/crontabs',
        prints: /could not find the requested resource/,
        exit: 1,
      },
    ],
  },
])
