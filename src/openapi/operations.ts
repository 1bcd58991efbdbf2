/** The operations of a resource type as data, before a version of the format writes them down. */

import type { Names } from '../names/names.ts'
import type { MessageType } from '../schema/descriptor.ts'
import {
  apiVersionOf,
  type GroupVersion,
  type Kind,
  type ResourceType,
  type Verb,
} from '../types/resource.ts'
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  patchParameters,
  readParameters,
  writeParameters,
} from './parameters.ts'

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'

export interface Operation {
  readonly method: Method
  readonly id: string
  /** `x-kubernetes-action`. */
  readonly action: string
  readonly kind: Kind
  readonly parameters: typeof listParameters
  /** What the body is; absent = none. */
  readonly body?: MessageType | 'patch' | 'deleteOptions'
  readonly answer: MessageType | 'list' | 'status'
  /** The element's message, for lists. */
  readonly element: MessageType
  /** Of a custom resource. */
  readonly isCustom: boolean
  readonly created: boolean
}

export interface Path {
  readonly path: string
  readonly named: boolean
  readonly namespaced: boolean
  readonly operations: readonly Operation[]
}

/** `rbac.authorization.k8s.io` → `RbacAuthorization`; `stable.example.com` → `StableExampleCom`; the core group → `Core`. */
function groupWord(group: string, names: Names): string {
  return group === '' ? 'Core' : wordsOf(group, names).map(capitalize).join('')
}

/** The words of a group, the server's own domain left out. A dash parts words as a dot does. */
function wordsOf(group: string, { groupDomain }: Names): readonly string[] {
  const domain = `.${groupDomain}`
  return (group.endsWith(domain) ? group.slice(0, -domain.length) : group).split(/[.-]/)
}

/** `core_v1`, `apps_v1`, `rbacAuthorization_v1`: what generated clients name their classes after. */
export function tagOf({ group, version }: GroupVersion, names: Names): string {
  const [first = 'core', ...others] = group === '' ? [] : wordsOf(group, names)
  return `${[first, ...others.map(capitalize)].join('')}_${version}`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `/api/v1` or `/apis/<group>/<version>`. */
function rootOf(type: GroupVersion): string {
  return `/${type.group === '' ? 'api' : 'apis'}/${apiVersionOf(type)}`
}

interface Shape {
  readonly verb: Verb
  readonly method: Method
  readonly word: string
  readonly action: string
  readonly parameters: typeof listParameters
  readonly body: 'object' | 'patch' | 'deleteOptions' | 'none'
  readonly answer: 'object' | 'list' | 'status'
}

const createShape: Shape = {
  verb: 'create',
  method: 'post',
  word: 'create',
  action: 'post',
  parameters: writeParameters,
  body: 'object',
  answer: 'object',
}

const collectionShapes: readonly Shape[] = [
  {
    verb: 'list',
    method: 'get',
    word: 'list',
    action: 'list',
    parameters: listParameters,
    body: 'none',
    answer: 'list',
  },
  createShape,
  {
    verb: 'deletecollection',
    method: 'delete',
    word: 'deleteCollection',
    action: 'deletecollection',
    parameters: deleteCollectionParameters,
    body: 'deleteOptions',
    answer: 'status',
  },
]

const itemShapes: readonly Shape[] = [
  {
    verb: 'get',
    method: 'get',
    word: 'read',
    action: 'get',
    parameters: readParameters,
    body: 'none',
    answer: 'object',
  },
  {
    verb: 'update',
    method: 'put',
    word: 'replace',
    action: 'put',
    parameters: writeParameters,
    body: 'object',
    answer: 'object',
  },
  {
    verb: 'delete',
    method: 'delete',
    word: 'delete',
    action: 'delete',
    parameters: deleteParameters,
    body: 'deleteOptions',
    answer: 'status',
  },
  {
    verb: 'patch',
    method: 'patch',
    word: 'patch',
    action: 'patch',
    parameters: patchParameters,
    body: 'patch',
    answer: 'object',
  },
]

const subresourceShapes: readonly Shape[] = [...itemShapes, createShape]

/** Every path under which a resource type is served, with its operations. */
export function pathsOf(type: ResourceType, names: Names): readonly Path[] {
  const root = rootOf(type)
  const scope = type.namespaced ? `${root}/namespaces/{namespace}` : root
  const scoped = type.namespaced ? 'Namespaced' : ''
  const build = (shape: Shape, message: MessageType, kind: Kind, suffix: string): Operation => ({
    method: shape.method,
    id: operationId(shape.word, type, scoped, suffix, names),
    action: shape.action,
    kind,
    parameters: shape.parameters,
    ...(shape.body === 'none' ? {} : { body: shape.body === 'object' ? message : shape.body }),
    answer: shape.answer === 'object' ? message : shape.answer,
    element: message,
    isCustom: type.custom !== undefined,
    created: shape.verb === 'create' || shape.verb === 'update' || shape.verb === 'patch',
  })
  const pick = (shapes: readonly Shape[], verbs: ReadonlySet<Verb>): readonly Shape[] =>
    shapes.filter((shape) => verbs.has(shape.verb))

  const paths: Path[] = [
    {
      path: `${scope}/${type.plural}`,
      named: false,
      namespaced: type.namespaced,
      operations: pick(collectionShapes, type.verbs).map((shape) => build(shape, type.message, type, '')),
    },
    {
      path: `${scope}/${type.plural}/{name}`,
      named: true,
      namespaced: type.namespaced,
      operations: pick(itemShapes, type.verbs).map((shape) => build(shape, type.message, type, '')),
    },
    ...[...type.subresources.values()].map((subresource) => ({
      path: `${scope}/${type.plural}/{name}/${subresource.name}`,
      named: true,
      namespaced: type.namespaced,
      operations: pick(subresourceShapes, subresource.verbs).map((shape) =>
        // Of a custom resource every path is of its kind.
        build(
          shape,
          subresource.message,
          type.custom === undefined ? subresource.kind : type,
          capitalize(subresource.name),
        ),
      ),
    })),
  ]
  if (type.namespaced && type.verbs.has('list')) {
    const [shape] = collectionShapes
    if (shape !== undefined) {
      const across = build(shape, type.message, type, '')
      const id = `list${groupWord(type.group, names)}${capitalize(type.version)}${type.kind}ForAllNamespaces`
      paths.push({
        path: `${root}/${type.plural}`,
        named: false,
        namespaced: false,
        operations: [{ ...across, id }],
      })
    }
  }
  return paths.filter((path) => path.operations.length > 0)
}

function operationId(word: string, type: ResourceType, scoped: string, suffix: string, names: Names): string {
  const version = `${groupWord(type.group, names)}${capitalize(type.version)}`
  return word === 'deleteCollection'
    ? `delete${version}Collection${scoped}${type.kind}`
    : `${word}${version}${scoped}${type.kind}${suffix}`
}
