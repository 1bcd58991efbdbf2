/** Editors, rollouts back and forth, and versions that will go, as people at a terminal meet them. */

import { tellKubectl } from '../support/kubectl.ts'

const template = (image: string) => `
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: nginx, image: "nginx:${image}"}]
`

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, annotations: {deployment.kubernetes.io/revision: "2"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}${template('2')}`

/** As the controller of deployments leaves it behind. */
const replicaSet = (revision: number) => `
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-${revision}
  labels: {app: web, pod-template-hash: h${revision}}
  annotations:
    deployment.kubernetes.io/revision: "${revision}"
    kubernetes.io/change-cause: change ${revision}
spec:
  replicas: 0
  selector: {matchLabels: {app: web, pod-template-hash: h${revision}}}${template(String(revision)).replace(
    'app: web',
    `app: web, pod-template-hash: h${revision}`,
  )}`

const owned = (name: string) =>
  `patch rs ${name} -p '{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"{uid}","controller":true}]}}'`

const statefulSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: web}}${template('9')}`

const controllerRevision = (revision: number) => `
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: db-${revision}, labels: {app: web}}
revision: ${revision}
data:
  spec:
    template:
      $patch: replace
      metadata: {labels: {app: web}}
      spec: {containers: [{name: nginx, image: "nginx:${revision}"}]}
`

const ownedBySet = (name: string) =>
  `patch controllerrevision ${name} --type=merge -p '{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db","uid":"{uid}","controller":true}]}}'`

const flowSchemas = 'flowschemas.v1beta3.flowcontrol.apiserver.k8s.io'

tellKubectl([
  {
    name: 'edit',
    files: { 'web.yaml': deployment },
    rows: [
      { run: 'create configmap settings --from-literal=color=red', prints: /created/ },
      {
        run: 'edit configmap settings',
        editor: 'sed -i s/red/blue/',
        prints: /^configmap\/settings edited$/m,
      },
      { run: 'get configmap settings -o jsonpath={.data.color}', prints: /^blue$/ },
      {
        run: 'edit configmap settings',
        editor: 'true',
        prints: /^$/,
        warns: /^Edit cancelled, no changes made\.$/m,
      },
      { run: 'create -f {dir}/web.yaml', prints: /created/ },
      {
        run: 'edit deployment web',
        editor: 'sed -i s/replicas:.2/replicas:\\ 3/',
        prints: /^deployment\.apps\/web edited$/m,
      },
      { run: 'get deployment web -o jsonpath={.spec.replicas}', prints: /^3$/ },
      {
        run: 'edit deployment web',
        editor: 'sed -i s/replicas:.3/replicas:\\ -3/',
        prints: /^error: deployments\.apps "web" is invalid\nA copy of your changes has been stored to /m,
        exit: 1,
      },
      {
        run: 'edit deployment web --subresource=status',
        editor: 'sed -i s/status:.{}/status:\\ {replicas:\\ 4}/',
        prints: /^deployment\.apps\/web edited$/m,
      },
      { run: 'get deployment web -o jsonpath={.spec.replicas}/{.status.replicas}', prints: /^3\/4$/ },
      {
        run: 'edit deployment/web configmap/settings',
        editor: 'sed -i -e s/nginx:2/nginx:3/ -e s/blue/green/',
        prints: /^deployment\.apps\/web edited$\n^configmap\/settings edited$/m,
      },
      { run: 'delete deployment/web configmap/settings', prints: /"web" deleted[\s\S]*"settings" deleted/ },
    ],
  },
  {
    name: 'rollouts',
    files: {
      'web.yaml': deployment,
      'one.yaml': replicaSet(1),
      'two.yaml': replicaSet(2),
    },
    rows: [
      { run: 'create -f {dir}/web.yaml -f {dir}/one.yaml -f {dir}/two.yaml', prints: /web created/ },
      { run: 'get deployment web -o jsonpath={.metadata.uid}', prints: /-/, save: 'uid' },
      { run: owned('web-1'), prints: /patched/ },
      { run: owned('web-2'), prints: /patched/ },
      {
        run: 'rollout history deployment/web',
        prints: /REVISION +CHANGE-CAUSE\n1 +change 1\n2 +change 2\n/,
      },
      {
        run: 'rollout history deployment/web --revision=1',
        prints: /with revision #1\nPod Template:\n +Labels:\tapp=web\n[\s\S]*Image:\tnginx:1\n/,
      },
      { run: 'rollout undo deployment/web', prints: /^deployment\.apps\/web rolled back$/m },
      {
        run: 'get deployment web -o jsonpath={.spec.template.spec.containers[0].image}',
        prints: /^nginx:1$/,
      },
      { run: 'rollout undo deployment/web --to-revision=1', prints: /skipped rollback \(current template/ },
      { run: 'rollout undo deployment/web --to-revision=2', prints: /rolled back/ },
      {
        run: 'rollout undo deployment/web --to-revision=7',
        prints: /unable to find specified revision 7 in history/,
        exit: 1,
      },
      { run: 'set image deployment/web nginx=nginx:5', prints: /image updated/ },
      { run: 'set env deployment/web --list', prints: /^# Deployment web, container nginx$/m },
      { run: 'get deployment web -o jsonpath={.metadata.generation}', prints: /^\d+$/, save: 'generation' },
      {
        run: `patch deployment web --subresource=status --type=merge -p '{"status":{"observedGeneration":{generation},"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2}}'`,
        prints: /patched/,
      },
      { run: 'rollout status deployment/web', prints: /^deployment "web" successfully rolled out$/m },
      { run: 'delete deployment web', prints: /deleted/ },
      { run: 'get replicasets -o name', prints: /^$/, until: true },
    ],
  },
  {
    name: 'rollouts of a stateful set',
    files: {
      'db.yaml': statefulSet,
      'one.yaml': controllerRevision(1),
      'two.yaml': controllerRevision(2),
    },
    rows: [
      { run: 'create -f {dir}/db.yaml -f {dir}/one.yaml -f {dir}/two.yaml', prints: /db created/ },
      { run: 'get statefulset db -o jsonpath={.metadata.uid}', prints: /-/, save: 'uid' },
      { run: ownedBySet('db-1'), prints: /patched/ },
      { run: ownedBySet('db-2'), prints: /patched/ },
      { run: 'rollout history statefulset/db', prints: /REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/ },
      { run: 'rollout undo statefulset/db --to-revision=1', prints: /^statefulset\.apps\/db rolled back$/m },
      {
        run: 'get statefulset db -o jsonpath={.spec.template.spec.containers[0].image}',
        prints: /^nginx:1$/,
      },
    ],
  },
  {
    name: 'versions',
    rows: [
      {
        run: `get ${flowSchemas} exempt -o name`,
        prints: /^flowschema\.flowcontrol\.apiserver\.k8s\.io\/exempt$/m,
        warns:
          /^Warning: flowcontrol\.apiserver\.k8s\.io\/v1beta3 FlowSchema is deprecated in v1\.29\+, unavailable in v1\.32\+; use flowcontrol\.apiserver\.k8s\.io\/v1 FlowSchema$/m,
      },
      {
        run: 'get componentstatuses',
        prints: /Healthy/,
        warns: /^Warning: v1 ComponentStatus is deprecated in v1\.19\+$/m,
      },
      { run: 'get flowschemas exempt -o name', prints: /exempt/, warns: /^$/ },
      {
        run: 'get --raw /apis/extensions/v1beta1/namespaces/default/ingresses',
        prints:
          /^Error from server \(NotFound\): the server could not find the requested resource: ingresses of extensions\/v1beta1 are no longer served since v1\.22; use networking\.k8s\.io\/v1\n$/,
        exit: 1,
      },
    ],
  },
  {
    name: 'who may do what',
    rows: [
      {
        run: 'auth can-i --list',
        prints:
          /Resources +Non-Resource URLs +Resource Names +Verbs[\s\S]*\n\*\.\* +\[\] +\[\] +\[\*\]\n[\s\S]*\[\*\] +\[\] +\[\*\]/,
      },
      { run: 'auth whoami -o name', prints: /selfsubjectreview/i },
      {
        run: 'cluster-info dump --namespaces kube-system',
        prints: /"kind": "NodeList"[\s\S]*"kind": "PodList"/,
      },
    ],
  },
])
