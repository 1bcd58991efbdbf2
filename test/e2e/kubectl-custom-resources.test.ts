/**
 * Custom resources as kubectl meets them: once through the life of a definition, then what its schema says in columns,
 * explanations, checks before sending, apply, status and scale.
 */

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
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
        labelSelectorPath: .status.labelSelector
    additionalPrinterColumns:
    - {name: Spec, type: string, jsonPath: .spec.cronSpec, description: When it runs.}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Image, type: string, jsonPath: .spec.image, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A table of times at which something runs.
        required: [spec]
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [cronSpec]
            properties:
              cronSpec: {type: string, description: When it runs., pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$'}
              image: {type: string, default: busybox}
              replicas: {type: integer, minimum: 0, maximum: 10}
              either: {x-kubernetes-int-or-string: true}
              settings: {type: object, x-kubernetes-preserve-unknown-fields: true}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port, protocol]
                items:
                  type: object
                  required: [port]
                  properties:
                    port: {type: integer, description: Where it listens.}
                    protocol: {type: string, default: TCP}
                    name: {type: string}
          status:
            type: object
            properties:
              replicas: {type: integer}
              labelSelector: {type: string}
              conditions:
                type: array
                items: {type: object, x-kubernetes-preserve-unknown-fields: true}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: bares.stable.example.com}
spec:
  group: stable.example.com
  scope: Cluster
  names: {plural: bares, singular: bare, kind: Bare}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const simple = (spec: string): string => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly}
spec: ${spec}
`

const cronTab = `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly}
spec:
  cronSpec: '0 3 * * *'
  replicas: 2
  ports: [{port: 80, protocol: TCP}, {port: 80, protocol: UDP, name: dns}]
  settings: {a: {b: [1, 2]}}
`

const port443 = `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: weekly}
spec: {cronSpec: '0 3 * * *', ports: [{port: 443}]}
`

const status = { status: { replicas: 1, conditions: [{ type: 'Ready', status: 'True' }] } }

tellKubectl([
  {
    name: 'the life of a definition: waited for, used, taken away',
    files: {
      'definition.yaml': definition,
      'nightly.yaml': simple("{cronSpec: '* * * * */5', replicas: 3}"),
      'changed.yaml': simple("{cronSpec: '* * * * */6', replicas: 3, image: nginx}"),
      'wrong.yaml': simple('{cronSpec: never, replicas: 11}'),
      'unknown.yaml': simple("{cronSpec: '* * * * */5', unknown: 1}"),
    },
    rows: [
      { run: 'get crontabs', prints: /the server doesn't have a resource type "crontabs"/, exit: 1 },
      { run: 'create -f {dir}/definition.yaml', prints: /crontabs\.stable\.example\.com created\n/ },
      {
        run: 'wait --for=condition=Established crd/crontabs.stable.example.com crd/bares.stable.example.com',
        prints: /condition met\n/,
      },
      {
        run: 'api-resources --api-group=stable.example.com --no-headers',
        prints: /^bares .*\ncrontabs +ct +stable\.example\.com\/v1 +true +CronTab\n$/,
      },
      { run: 'get ct', prints: /^$/ },
      { run: 'apply -f {dir}/nightly.yaml', prints: /^crontab\.stable\.example\.com\/nightly created\n$/ },
      { run: 'apply -f {dir}/nightly.yaml', prints: /nightly unchanged\n$/ },
      { run: 'get ct', prints: /^NAME +SPEC +REPLICAS +READY +AGE\nnightly +\* \* \* \* \*\/5 +3 +\d+s\n$/ },
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
      { run: 'explain crontab.spec.cronSpec', prints: /FIELD: cronSpec <string>[\s\S]*When it runs\./ },
      { run: 'describe ct nightly', prints: /Kind: +CronTab/ },
      { run: 'delete ct nightly', prints: /"nightly" deleted\n$/ },
      { run: 'apply -f {dir}/nightly.yaml', prints: /nightly created\n$/ },
      { run: 'delete -f {dir}/definition.yaml', prints: /"crontabs\.stable\.example\.com" deleted\n/ },
      { run: 'get crd', prints: /No resources found|^$/ },
      {
        run: 'get --raw /apis/stable.example.com/v1/crontabs',
        prints: /could not find the requested resource/,
        exit: 1,
      },
    ],
  },
  {
    name: 'what the schema of a definition says',
    files: {
      'definition.yaml': definition,
      'nightly.yaml': cronTab,
      'weekly.yaml': cronTab.replace('nightly', 'weekly'),
      'port.yaml': port443,
      'unknown.yaml': cronTab.replace('replicas: 2', 'replicas: 2\n  color: red'),
      'text.yaml': cronTab.replace('replicas: 2', 'replicas: two'),
      'bare.yaml':
        'apiVersion: stable.example.com/v1alpha1\nkind: Bare\nmetadata: {name: b}\nany: {thing: 1}\n',
    },
    rows: [
      { run: 'apply -f {dir}/definition.yaml', prints: /crontabs\.stable\.example\.com created\n/ },
      {
        run: 'wait --for=condition=Established crd/crontabs.stable.example.com crd/bares.stable.example.com',
        prints: /bares\.stable\.example\.com condition met\n$/,
      },
      {
        run: 'api-resources --api-group=stable.example.com',
        prints: /crontabs +ct +stable\.example\.com\/v1 +true +CronTab/,
      },
      {
        run: 'explain crontab',
        prints:
          /GROUP: +stable\.example\.com\nKIND: +CronTab\nVERSION: +v1\n\nDESCRIPTION:\n +A table of times [\s\S]*spec\t<Object> -required-\n +What is wanted\./,
        until: true,
      },
      {
        run: 'explain crontab.spec.ports --recursive',
        prints: /FIELD: ports <\[\]Object>[\s\S]*port\t<integer> -required-/,
      },
      { run: 'explain ct.spec.either', prints: /FIELD: either / },
      {
        run: 'explain ct.spec --output=plaintext-openapiv2',
        prints:
          /KIND: +CronTab[\s\S]*RESOURCE: spec <Object>[\s\S]*cronSpec\t<string> -required-[\s\S]*ports\t<\[\]Object>/,
      },
      { run: 'explain bare', prints: /KIND: +Bare/ },
      {
        run: 'apply -f {dir}/unknown.yaml',
        prints: /unknown field "spec\.color"/,
        exit: 1,
      },
      {
        run: 'apply -f {dir}/unknown.yaml --validate=warn --dry-run=server',
        prints: /created \(server dry run\)/,
        warns: /Warning: unknown field "spec\.color"/,
      },
      {
        run: 'apply -f {dir}/text.yaml',
        prints:
          /spec\.replicas: Invalid value: "string": spec\.replicas in body must be of type integer: "string"/,
        exit: 1,
      },
      { run: 'apply -f {dir}/nightly.yaml', prints: /^crontab\.stable\.example\.com\/nightly created\n$/ },
      { run: 'apply -f {dir}/nightly.yaml', prints: /nightly unchanged\n$/ },
      { run: 'get ct', prints: /^NAME +SPEC +REPLICAS +READY +AGE\nnightly +0 3 \* \* \* +2 +\d+s\n$/ },
      {
        run: 'get ct nightly -o wide',
        prints: /^NAME +SPEC +REPLICAS +READY +IMAGE +AGE\nnightly .* busybox +\d+s\n$/,
      },
      { run: 'get all', prints: /crontab\.stable\.example\.com\/nightly/ },
      {
        run: "get ct nightly -o 'jsonpath={.spec}'",
        prints:
          /^\{"cronSpec":"0 3 \* \* \*","image":"busybox","ports":\[\{"port":80,"protocol":"TCP"\},\{"name":"dns","port":80,"protocol":"UDP"\}\],"replicas":2,"settings":\{"a":\{"b":\[1,2\]\}\}\}$/,
      },
      { run: 'create -f {dir}/weekly.yaml', prints: /weekly created\n$/ },
      {
        run: 'apply --server-side --field-manager=other -f {dir}/port.yaml',
        prints: /serverside-applied/,
      },
      {
        run: "get ct weekly -o 'jsonpath={.spec.ports[*].port}'",
        prints: /^80 80 443$/,
      },
      {
        run: 'get ct weekly --show-managed-fields -o \'jsonpath={.metadata.managedFields[?(@.manager=="other")].fieldsV1}\'',
        prints:
          /^\{"f:spec":\{"f:cronSpec":\{\},"f:ports":\{"k:\{\\"port\\":443,\\"protocol\\":\\"TCP\\"\}":\{"\.":\{\},"f:port":\{\}\}\}\}\}$/,
      },
      {
        run: 'patch ct nightly --type=merge -p \'{"spec":{"image":"alpine"}}\'',
        prints: /nightly patched\n$/,
      },
      {
        run: 'patch ct nightly --type=strategic -p \'{"spec":{"image":"alpine"}}\'',
        prints:
          /the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml/,
        exit: 1,
      },
      {
        run: `patch ct nightly --subresource=status --type=merge -p '${JSON.stringify(status)}'`,
        prints: /nightly patched\n$/,
      },
      { run: 'get ct nightly', prints: /\nnightly +0 3 \* \* \* +2 +True +\d+s\n$/ },
      { run: 'scale ct nightly --replicas=3', prints: /^crontab\.stable\.example\.com\/nightly scaled\n$/ },
      {
        run: 'get ct nightly --subresource=scale',
        prints: /^NAME +DESIRED +AVAILABLE +AGE\nnightly +3 +1 +\d+s\n$/,
      },
      {
        run: 'scale ct nightly --replicas=11',
        prints:
          /spec\.replicas: Invalid value: 11: spec\.replicas in body should be less than or equal to 10/,
        exit: 1,
      },
      {
        run: 'get ct nightly --show-managed-fields -o \'jsonpath={range .metadata.managedFields[*]}{.manager} {.subresource}{"\\n"}{end}\'',
        prints: /^(?=[\s\S]*kubectl-patch status\n)(?=[\s\S]*kubectl scale\n)/,
      },
      { run: "get ct nightly -o 'jsonpath={.metadata.generation}'", prints: /^3$/ },
      { run: 'describe ct nightly', prints: /Kind: +CronTab\n[\s\S]*Cron Spec: +0 3 \* \* \*/ },
      { run: 'create -f {dir}/bare.yaml', prints: /^bare\.stable\.example\.com\/b created\n$/ },
      { run: 'get bares', prints: /^NAME +AGE\nb +\d+s\n$/ },
      { run: "get bare b -o 'jsonpath={.any.thing}'", prints: /^1$/ },
      { run: 'delete ct --all', prints: /"nightly" deleted[\s\S]*"weekly" deleted/ },
    ],
  },
])
