/** Changing things: apply of both kinds, patches of all types, edits, rollouts, and what is refused. */

import { tellKubectl } from '../support/kubectl.ts'

const configMap = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {color: ${value}}\n`

const deployment = (image: string, more = '') => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2${more}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: nginx, image: "nginx:${image}"}]
`

tellKubectl([
  {
    name: 'apply by the client',
    files: {
      'one.yaml': deployment('1'),
      'two.yaml': deployment('2'),
      'typo.yaml': deployment('2', '\n  replica: 3'),
    },
    rows: [
      {
        run: 'apply -f {dir}/typo.yaml',
        prints: /strict decoding error: unknown field "spec\.replica"/,
        exit: 1,
      },
      { run: 'apply -f {dir}/one.yaml', prints: /^deployment\.apps\/web created$/m },
      { run: 'apply -f {dir}/one.yaml', prints: /^deployment\.apps\/web unchanged$/m },
      { run: 'diff -f {dir}/two.yaml', prints: /^-.*image: nginx:1\n\+.*image: nginx:2$/m, exit: 1 },
      { run: 'apply -f {dir}/two.yaml --dry-run=server', prints: /configured \(server dry run\)/ },
      { run: 'apply -f {dir}/two.yaml', prints: /^deployment\.apps\/web configured$/m },
      { run: 'diff -f {dir}/two.yaml', prints: /^$/ },
      { run: 'apply view-last-applied deployment web', prints: /image: nginx:2/ },
      {
        run: 'get deploy web -o jsonpath={.spec.progressDeadlineSeconds}/{.spec.strategy.rollingUpdate.maxSurge}',
        prints: /^600\/25%$/,
      },
    ],
  },
  {
    name: 'apply by the server',
    files: { 'red.yaml': configMap('red'), 'blue.yaml': configMap('blue') },
    rows: [
      {
        run: 'apply --server-side --field-manager=one -f {dir}/red.yaml',
        prints: /^configmap\/settings serverside-applied$/m,
      },
      {
        run: 'apply --server-side --field-manager=two -f {dir}/blue.yaml',
        prints: /Apply failed with 1 conflict: conflict with "one": \.data\.color/,
        exit: 1,
      },
      {
        run: 'apply --server-side --field-manager=two --force-conflicts -f {dir}/blue.yaml',
        prints: /serverside-applied/,
      },
      { run: 'get cm settings -o jsonpath={.data.color}', prints: /^blue$/ },
      { run: 'diff --server-side --field-manager=two -f {dir}/blue.yaml', prints: /^$/ },
    ],
  },
  {
    name: 'patches and replacements',
    files: { 'green.yaml': configMap('green') },
    rows: [
      {
        run: `patch cm settings --type=merge -p '{"data":{"a":"1"}}'`,
        prints: /^configmap\/settings patched$/m,
      },
      { run: `patch cm settings --type=merge -p '{"data":{"a":"1"}}'`, prints: /patched \(no change\)/ },
      {
        run: `patch cm settings --type=json -p '[{"op":"replace","path":"/data/a","value":"2"}]'`,
        prints: /patched/,
      },
      {
        run: `patch cm settings --type=json -p '[{"op":"test","path":"/data/a","value":"9"}]'`,
        prints: /The request is invalid/,
        exit: 1,
      },
      {
        run: `patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:3"}]}}}}'`,
        prints: /patched/,
      },
      { run: 'get deploy web -o jsonpath={.spec.template.spec.containers[*].image}', prints: /^nginx:3$/ },
      {
        run: `patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":1}}'`,
        prints: /patched/,
      },
      {
        run: `patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":4}}'`,
        prints: /^scale\.autoscaling\/web patched$/m,
      },
      { run: 'get deploy web --subresource=scale', prints: /NAME +DESIRED +AVAILABLE +AGE\nweb +4 +1 / },
      { run: 'replace -f {dir}/green.yaml', prints: /^configmap\/settings replaced$/m },
      { run: 'replace --force -f {dir}/green.yaml', prints: /configmap\/settings replaced/ },
      { run: 'label cm settings tier=front', prints: /^configmap\/settings labeled$/m },
      { run: 'label cm settings tier=back', prints: /already has a value \(front\)/, exit: 1 },
      { run: 'label cm settings tier=back --overwrite', prints: /labeled/ },
      { run: 'annotate cm settings note=x note-', prints: /can not both modify and remove/, exit: 1 },
      { run: 'annotate cm settings note=x', prints: /^configmap\/settings annotated$/m },
    ],
  },
  {
    name: 'workloads',
    rows: [
      { run: 'scale deployment web --replicas=5', prints: /^deployment\.apps\/web scaled$/m },
      {
        run: 'scale deployment web --replicas=6 --current-replicas=2',
        prints: /Expected replicas to be 2, was 5/,
        exit: 1,
      },
      { run: 'set image deploy/web nginx=nginx:4', prints: /image updated/ },
      { run: 'set env deploy/web A=b', prints: /env updated/ },
      { run: 'set resources deploy web --limits=cpu=500m', prints: /resource requirements updated/ },
      { run: 'set serviceaccount deploy web default', prints: /serviceaccount updated/ },
      { run: 'rollout pause deploy web', prints: /web paused/ },
      { run: 'rollout resume deploy web', prints: /web resumed/ },
      { run: 'rollout restart deploy web', prints: /web restarted/ },
      { run: 'rollout history deploy web', prints: /No rollout history found/ },
      {
        run: 'rollout status deploy web --timeout=300ms',
        prints: /Waiting for deployment spec update to be observed/,
        exit: 1,
      },
      { run: 'describe deploy web', prints: /Replicas: +5 desired[\s\S]*A: +b\n/ },
    ],
  },
  {
    name: 'what is refused',
    rows: [
      {
        run: 'scale deployment absent --replicas=5',
        prints: /no objects passed to scale/,
        exit: 1,
      },
      {
        run: `patch deploy web --type=merge -p '{"spec":{"replicas":-1,"selector":{"matchLabels":{"app":"x"}}}}'`,
        prints:
          /The Deployment "web" is invalid[\s\S]*spec\.replicas: Invalid value: -1[\s\S]*spec\.selector: Invalid value/,
        exit: 1,
      },
    ],
  },
])
