/** Access control as people use it. Source: specification, "Access-control resources", "Authorization" 10. */

import { tellKubectl } from '../support/kubectl.ts'

const grants = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: default }
rules:
- { apiGroups: [""], resources: [pods], verbs: [get, list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: readers, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects:
- { kind: User, name: jane, apiGroup: rbac.authorization.k8s.io }
`

tellKubectl([
  {
    name: 'roles and bindings',
    files: { 'grants.yaml': grants },
    rows: [
      { run: 'auth can-i list pods --as jane', prints: /^no\n/, exit: 1 },
      {
        run: 'auth reconcile -f {dir}/grants.yaml',
        prints: /role\S* reconciled\n.*rolebinding\S* reconciled/s,
      },
      { run: 'get rolebinding readers -o wide', prints: /readers +Role\/reader +\S+ +jane/ },
      { run: 'describe clusterrole view', prints: /configmaps +\[\] +\[\] +\[get list watch\]/ },
      { run: 'auth can-i list pods --as jane', prints: /^yes\n/ },
      { run: 'auth can-i list pods -n kube-system --as jane', prints: /^no\n/, exit: 1 },
      { run: 'auth can-i get pods --subresource=log --as jane', prints: /^no\n/, exit: 1 },
      { run: 'auth can-i get /metrics --as jane', prints: /^no\n/, exit: 1 },
      { run: 'auth can-i get /metrics --as probe --as-group system:monitoring', prints: /^yes\n/ },
      { run: 'auth can-i --list --as jane', prints: /pods +\[\] +\[\] +\[get list\]/ },
      { run: 'get pods --as jane', prints: /^$/ },
      {
        run: 'get secrets --as jane',
        prints:
          /Error from server \(Forbidden\): secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "default"/,
        exit: 1,
      },
      {
        run: 'create clusterrolebinding more --clusterrole cluster-admin --user jane --as jane',
        prints: /is forbidden: User "jane" cannot create resource "clusterrolebindings"/,
        exit: 1,
      },
    ],
  },
  {
    name: 'who one is',
    rows: [
      { run: 'auth whoami -o jsonpath={.status.userInfo.groups}', prints: /system:masters/ },
      {
        run: 'auth whoami --as bob --as-group team --as-uid u-1 -o jsonpath={.status.userInfo}',
        prints: /"groups":\["team","system:authenticated"\],"uid":"u-1","username":"bob"/,
      },
      {
        run: 'auth whoami --as system:serviceaccount:default:robot -o jsonpath={.status.userInfo.groups}',
        prints: /system:serviceaccounts:default/,
      },
    ],
  },
])
