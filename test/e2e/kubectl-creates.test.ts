/** Each kind that kubectl has a generator for, by its typed client: protobuf in and out. */

import { tellKubectl } from '../support/kubectl.ts'

const created = (kind: string): RegExp => new RegExp(`^${kind} created\n$`)

const node = 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n'

/** For `CN=jane`, a P-256 key. */
const certificateRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkQxc0FaNkdWMWlnZVJVaTdtZVZzVjFWck81Y0d5N1hoUEIzQUdYYW5MRTJyWEdPY21wZzZUY3VPTFRrCitGazhRYkZ4ZDI3MzFkUFdjUUxaWjc1U1hHK2dBREFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUJnNHJtNDBxeUcKbXhMV0tUK2huMGVvR2Rpekl4MlNac3hRc3lMQzNIWDlCd0lnYzRLRnMvNFhxd3N0b0cvWVVRUXhMZ1YrdmNMVApZaU03b1JWdmc1K2R2SU09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo='

const request = `
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: jane}
spec:
  request: ${certificateRequest}
  signerName: kubernetes.io/kube-apiserver-client
  usages: [client auth]
`

tellKubectl([
  {
    name: 'generators',
    rows: [
      { run: 'create namespace team', prints: created('namespace/team') },
      { run: 'create configmap settings --from-literal=a=1', prints: created('configmap/settings') },
      {
        run: 'create configmap settings --from-literal=a=1',
        prints: /configmaps "settings" already exists/,
        exit: 1,
      },
      {
        run: 'create configmap bad_name',
        prints: /metadata\.name: Invalid value: "bad_name": a lowercase RFC 1123 subdomain/,
        exit: 1,
      },
      { run: 'create secret generic password --from-literal=p=x', prints: created('secret/password') },
      {
        run: 'create secret docker-registry pull --docker-server=r --docker-username=u --docker-password=p',
        prints: created('secret/pull'),
      },
      { run: 'get secret password -o jsonpath={.type}/{.data.p}', prints: /^Opaque\/eA==$/ },
      { run: 'create deployment web --image=nginx:1 --replicas=2', prints: created('deployment.apps/web') },
      { run: 'create job once --image=busybox -- echo hi', prints: created('job.batch/once') },
      {
        run: "create cronjob often --image=busybox --schedule='* * * * *' -- echo hi",
        prints: created('cronjob.batch/often'),
      },
      { run: 'create job now --from=cronjob/often', prints: created('job.batch/now') },
      { run: 'create service clusterip internal --tcp=80:8080', prints: created('service/internal') },
      { run: 'create service nodeport outside --tcp=80:8080', prints: created('service/outside') },
      { run: 'create service loadbalancer front --tcp=80:8080', prints: created('service/front') },
      {
        run: 'create service externalname elsewhere --external-name=example.com',
        prints: created('service/elsewhere'),
      },
      { run: 'create serviceaccount robot', prints: created('serviceaccount/robot') },
      {
        run: 'create role reader --verb=get,list --resource=pods',
        prints: created('role.rbac.authorization.k8s.io/reader'),
      },
      {
        run: 'create rolebinding readers --role=reader --serviceaccount=default:robot',
        prints: created('rolebinding.rbac.authorization.k8s.io/readers'),
      },
      {
        run: 'create clusterrole nodes --verb=get --resource=nodes',
        prints: created('clusterrole.rbac.authorization.k8s.io/nodes'),
      },
      {
        run: 'create clusterrolebinding nodes --clusterrole=nodes --user=jane',
        prints: created('clusterrolebinding.rbac.authorization.k8s.io/nodes'),
      },
      {
        run: 'create poddisruptionbudget half --selector=app=web --min-available=50%',
        prints: created('poddisruptionbudget.policy/half'),
      },
      {
        run: 'create priorityclass high --value=1000',
        prints: created('priorityclass.scheduling.k8s.io/high'),
      },
      {
        run: 'create ingress door --rule=example.com/=internal:80',
        prints: created('ingress.networking.k8s.io/door'),
      },
      { run: 'run lone --image=nginx', prints: created('pod/lone') },
      { run: 'expose deployment web --port=80 --target-port=8080', prints: /^service\/web exposed\n$/ },
      {
        run: 'autoscale deployment web --min=1 --max=3 --cpu-percent=80',
        prints: /horizontalpodautoscaler\.autoscaling\/web autoscaled/,
      },
      { run: 'create quota most --hard=pods=20,cpu=10', prints: created('resourcequota/most') },
      {
        run: 'create configmap dry --from-literal=a=1 --dry-run=server',
        prints: /configmap\/dry created \(server dry run\)/,
      },
      { run: 'get configmap dry', prints: /NotFound/, exit: 1 },
      {
        run: 'get all',
        prints:
          /pod\/lone [\s\S]*service\/web [\s\S]*deployment\.apps\/web [\s\S]*cronjob\.batch\/often [\s\S]*job\.batch\/now /,
      },
    ],
  },
  {
    name: 'nodes',
    files: { 'node.yaml': node },
    rows: [
      { run: 'create -f {dir}/node.yaml', prints: created('node/n1') },
      { run: 'taint node n1 dedicated=db:NoSchedule', prints: /^node\/n1 tainted$/m },
      { run: 'taint node n1 dedicated=web:NoSchedule', prints: /already has dedicated taint\(s\)/, exit: 1 },
      { run: 'taint node n1 dedicated-', prints: /^node\/n1 untainted$/m },
      { run: 'cordon n1', prints: /^node\/n1 cordoned$/m },
      { run: 'get node n1', prints: /n1 +Unknown,SchedulingDisabled / },
      { run: 'drain n1', prints: /node\/n1 drained/ },
      { run: 'uncordon n1', prints: /^node\/n1 uncordoned$/m },
    ],
  },
  {
    name: 'certificates',
    files: { 'request.yaml': request },
    rows: [
      {
        run: 'create -f {dir}/request.yaml',
        prints: created('certificatesigningrequest.certificates.k8s.io/jane'),
      },
      { run: 'get csr jane', prints: /kubernetes-admin +<none> +Pending\n/ },
      { run: 'certificate approve jane', prints: /jane approved/ },
      { run: 'get csr jane', prints: / Approved(,Issued)?\n/ },
      { run: 'certificate deny jane', prints: /already Approved/, exit: 1 },
    ],
  },
])
