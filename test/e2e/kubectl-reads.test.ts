/** Looking around: every form of output, selectors, watches, discovery, explanations. */

import { tellKubectl } from '../support/kubectl.ts'

const service = `
apiVersion: v1
kind: Service
metadata: {name: web, labels: {tier: front}}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
`

tellKubectl([
  {
    name: 'forms of output',
    files: { 'service.yaml': service },
    rows: [
      { run: 'create -f {dir}/service.yaml', prints: /^service\/web created$/m },
      {
        run: 'get service web',
        prints: /^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE\nweb +NodePort /,
      },
      { run: 'get svc web -o wide', prints: /SELECTOR\nweb .* app=web\n$/ },
      { run: 'get svc web -o name', prints: /^service\/web\n$/ },
      { run: 'get svc web -o json', prints: /"kind": "Service"[\s\S]*"port": 80/ },
      { run: 'get svc web -o yaml', prints: /^apiVersion: v1\nkind: Service\n/ },
      { run: 'get svc web -o yaml --show-managed-fields', prints: /manager: kubectl-create\n/ },
      { run: 'get svc web -o jsonpath={.spec.ports[0].targetPort}', prints: /^8080$/ },
      {
        run: "get svc -o custom-columns='N:.metadata.name,T:.spec.type'",
        prints: /^N +T\nkubernetes +ClusterIP\nweb +NodePort\n$/,
      },
      {
        run: "get svc -o go-template='{{range .items}}{{.metadata.name}}{{end}}'",
        prints: /^kubernetesweb$/,
      },
      { run: 'get svc --no-headers --show-labels', prints: /\nweb .* tier=front\n$/ },
      { run: 'get svc -L tier', prints: / TIER\n.*\nweb .* front\n$/ },
      { run: 'get svc,ns -A', prints: /default +service\/web [\s\S]*namespace\/kube-system +Active/ },
      { run: 'get ns --sort-by=.metadata.uid --chunk-size=2 -o name', prints: /(namespace\/[a-z-]+\n){4}/ },
      {
        run: 'get --raw /api/v1/namespaces/default/services/web',
        prints: /^\{"kind":"Service","apiVersion":"v1"/,
      },
      { run: 'describe svc web', prints: /^Name: +web\n[\s\S]*TargetPort: +8080\/TCP\n/ },
      { run: 'describe ns default', prints: /Status: +Active\n\nNo resource quota\./ },
    ],
  },
  {
    name: 'selectors and absence',
    rows: [
      {
        run: "get ns -l 'kubernetes.io/metadata.name in (default)' -o name",
        prints: /^namespace\/default\n$/,
      },
      { run: 'get svc -l tier!=front', prints: /^NAME .*\nkubernetes .*\n$/ },
      { run: 'get svc -A --field-selector metadata.name=web -o name', prints: /^service\/web\n$/ },
      { run: 'get pods --field-selector=status.phase=Pending', prints: /^$/ },
      {
        run: 'get pods --field-selector=spec.color=red',
        prints: /BadRequest.*field label not supported: spec\.color/,
        exit: 1,
      },
      {
        run: 'get svc absent',
        prints: /^Error from server \(NotFound\): services "absent" not found\n$/,
        exit: 1,
      },
      { run: 'get svc absent --ignore-not-found', prints: /^$/ },
      { run: 'get nonsense', prints: /the server doesn't have a resource type "nonsense"/, exit: 1 },
    ],
  },
  {
    name: 'watches',
    rows: [
      { run: 'get svc -w --request-timeout=500ms', prints: /^NAME .*\nkubernetes .*\nweb +NodePort .*\n$/ },
      {
        run: 'get svc web -w --output-watch-events --request-timeout=500ms',
        prints: /^EVENT +NAME.*\nADDED +web /,
      },
      { run: 'get svc -w -o name --request-timeout=500ms', prints: /^service\/kubernetes\nservice\/web\n$/ },
      { run: 'wait --for=jsonpath={.spec.type}=NodePort svc/web --timeout=5s', prints: /condition met/ },
      { run: 'wait --for=delete svc/absent --timeout=1s', prints: /^$/ },
      {
        run: 'wait --for=condition=Nice svc/web --timeout=300ms',
        prints: /timed out waiting for the condition on services\/web/,
        exit: 1,
      },
    ],
  },
  {
    name: 'discovery',
    rows: [
      { run: 'api-versions', prints: /apps\/v1\n[\s\S]*rbac\.authorization\.k8s\.io\/v1\n[\s\S]*\nv1\n/ },
      { run: 'api-resources --no-headers -o name', prints: /configmaps\n[\s\S]*deployments\.apps\n/ },
      {
        run: 'api-resources --api-group=apps -o wide',
        prints:
          /deployments +deploy +apps\/v1 +true +Deployment +create,delete,deletecollection,get,list,patch,update,watch +all\n/,
      },
      { run: 'api-resources --namespaced=false --verbs=list -o name', prints: /nodes\n/ },
      { run: 'cluster-info', prints: /control plane.* is running at .*https:\/\/127\.0\.0\.1:/ },
      { run: 'version', prints: /Server Version: v1\.30\./ },
      { run: 'get --raw /version', prints: /"major": ?"1"/ },
      { run: 'get --raw /readyz?verbose', prints: /\[\+\]ping ok[\s\S]*check passed/ },
      { run: 'get --raw /nowhere', prints: /NotFound/, exit: 1 },
      { run: 'auth whoami', prints: /Username +kubernetes-admin\n/ },
      { run: 'auth can-i create deployments', prints: /^yes\n$/ },
    ],
  },
  {
    name: 'explain',
    rows: [
      {
        run: 'explain pod.spec.containers.ports',
        prints: /FIELD: ports <\[\]ContainerPort>[\s\S]*containerPort\t<integer> -required-/,
      },
      {
        run: 'explain pod.spec.containers',
        prints:
          /FIELD: containers <\[\]Container>\s+DESCRIPTION:\n +The containers of the pod[\s\S]*\n {2}image\t<string>\n +Image to run\.\n/,
      },
      {
        run: 'explain deployment.spec.template.spec.tolerations',
        prints:
          /DESCRIPTION:[\s\S]*Lets the pod onto nodes with taints[\s\S]*tolerationSeconds\t<integer>\n +With NoExecute: /,
      },
      { run: 'explain deployment --recursive', prints: /fieldsV1\t<FieldsV1>[\s\S]*maxSurge\t<IntOrString>/ },
      {
        run: 'explain hpa --api-version=autoscaling/v1',
        prints: /GROUP: +autoscaling\nKIND: +HorizontalPodAutoscaler\nVERSION: +v1\n/,
      },
      {
        run: 'explain pod.spec.dnsPolicy',
        prints: /ENUM:\n +ClusterFirst\n +ClusterFirstWithHostNet\n +Default\n +None\n/,
      },
      { run: 'explain crd.spec.versions.schema.openAPIV3Schema.default', prints: /FIELD: default <JSON>/ },
      { run: 'explain pod.nope', prints: /field "nope" does not exist/, exit: 1 },
    ],
  },
])
