/** Taking things away: by name, by label, all, with each kind of cascade, and with them a whole namespace. */

import { tellKubectl } from '../support/kubectl.ts'

const owners = JSON.stringify({
  metadata: {
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{uid}', blockOwnerDeletion: true },
    ],
  },
})

tellKubectl([
  {
    name: 'one and many',
    rows: [
      { run: 'create configmap a', prints: /created/ },
      { run: 'create configmap b', prints: /created/ },
      { run: 'create configmap c', prints: /created/ },
      { run: 'label configmap b c group=x', prints: /configmap\/b labeled\nconfigmap\/c labeled\n/ },
      { run: 'delete configmap a', prints: /^configmap "a" deleted/ },
      { run: 'delete configmap a', prints: /configmaps "a" not found/, exit: 1 },
      { run: 'delete configmap a --ignore-not-found', prints: /^$/ },
      { run: 'delete configmap -l group=x --dry-run=server', prints: /configmap "b" deleted.*dry run/ },
      { run: 'delete configmap -l group=x', prints: /configmap "b" deleted.*\nconfigmap "c" deleted/ },
      { run: 'get configmaps -l group=x -o name', prints: /^$/ },
      { run: 'create secret generic s', prints: /created/ },
      { run: 'delete secrets --all', prints: /secret "s" deleted/ },
    ],
  },
  {
    name: 'cascades',
    rows: [
      { run: 'create deployment back --image=nginx', prints: /created/ },
      { run: 'delete deployment back --cascade=background', prints: /deployment\.apps "back" deleted/ },
      { run: 'create deployment orphaning --image=nginx', prints: /created/ },
      { run: 'delete deployment orphaning --cascade=orphan --wait=false', prints: /"orphaning" deleted/ },
      { run: 'create deployment front --image=nginx', prints: /created/ },
      { run: 'delete deployment front --cascade=foreground --wait=false', prints: /"front" deleted/ },
      { run: 'run lone --image=nginx', prints: /created/ },
      { run: 'delete pod lone --now', prints: /pod "lone" deleted/ },
      { run: 'get pod lone', prints: /NotFound/, exit: 1 },
    ],
  },
  ...(['background', 'foreground', 'orphan'] as const).map((cascade) => ({
    name: `what becomes of dependents: ${cascade}`,
    rows: [
      { run: 'create configmap owner', prints: /created/ },
      { run: "get configmap owner -o jsonpath='{.metadata.uid}'", prints: /-/, save: 'uid' },
      { run: 'create configmap owned', prints: /created/ },
      {
        run: `patch configmap owned --type=merge -p '${owners}'`,
        prints: /owned patched/,
      },
      { run: `delete configmap owner --cascade=${cascade}`, prints: /"owner" deleted/ },
      cascade === 'orphan'
        ? { run: "get configmap owned -o jsonpath='{.metadata.ownerReferences}'", prints: /^$/ }
        : { run: 'get configmap owned', prints: /NotFound/, exit: 1, until: true as const },
      { run: 'delete configmap owned --ignore-not-found', prints: cascade === 'orphan' ? /deleted/ : /^$/ },
    ],
  })),
  {
    name: 'a namespace with what is in it',
    rows: [
      { run: 'create namespace team', prints: /created/ },
      { run: 'create configmap a -n team', prints: /created/ },
      { run: 'delete namespace team', prints: /namespace "team" deleted/ },
      { run: 'get namespace team', prints: /NotFound/, exit: 1 },
      { run: 'create configmap a -n team', prints: /namespaces "team" not found/, exit: 1 },
    ],
  },
])
