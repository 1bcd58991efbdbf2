/** What the server counts of its requests. Names and labels are those that dashboards of this API know. */

import type { RequestInfo, ResourceRequest } from '../pipeline/request-info.ts'
import { Histogram, labelText, Numbers } from './exposition.ts'

interface ServedRequest {
  /** Undefined = the path could not be read. */
  readonly info: RequestInfo | undefined
  readonly code: number
  readonly seconds: number
  /** Without the time that it waited for a seat. */
  readonly ownSeconds: number
  readonly bytes: number
  readonly dryRun: boolean
  /** The server has given it up: it took too long, met a bug, or there was no seat. */
  readonly terminated: boolean
  /** The media type of a patch is that of an apply. */
  readonly isApply: boolean
}

const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]
/** What is below 50 ms nobody's objective tells apart. */
const ownDurationBounds = durationBounds.slice(2)
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

/** One for all streams of the same kind. */
export interface StreamKind {
  readonly base: string
  /** With the status code that was sent. */
  readonly counted: string
}

/** Labels of one kind of request; `base` without code and dry run, the next two without code. */
interface Labels {
  readonly base: string
  readonly wetRun: string
  readonly dryRun: string
  readonly counts: Map<string, string>
}

/** The router, as far as metrics need it. */
interface KnownResources {
  /** Only served resources become label values, so that clients cannot make up new ones. */
  find(info: ResourceRequest): { readonly ok: boolean }
  /** Undefined = the version is not deprecated. */
  removedRelease(info: ResourceRequest): string | undefined
}

export class RequestMetrics {
  readonly #requests = new Numbers(
    'apiserver_request_total',
    'Requests, by verb, resource and HTTP status code.',
    'counter',
  )
  readonly #terminations = new Numbers(
    'apiserver_request_terminations_total',
    'Requests that the server has given up: too long under way, or met by a bug.',
    'counter',
  )
  readonly #durations = new Histogram(
    'apiserver_request_duration_seconds',
    'Time from the arrival of a request to the end of its answer; of a watch, how long it lived.',
    durationBounds,
  )
  readonly #ownDurations = new Histogram(
    'apiserver_request_sli_duration_seconds',
    'As apiserver_request_duration_seconds, without the time that a request waited for a seat.',
    ownDurationBounds,
  )
  readonly #sizes = new Histogram('apiserver_response_sizes', 'Bytes of answers to reads.', sizeBounds)
  readonly #longRunning = new Numbers('apiserver_longrunning_requests', 'Watches now.', 'gauge')
  readonly #deprecated = new Numbers(
    'apiserver_requested_deprecated_apis',
    'Deprecated versions that were asked for, and the release in which they will be gone.',
    'gauge',
  )
  readonly #labels = new Map<string, Labels>()
  readonly #streamKinds = new Map<string, StreamKind>()
  readonly #resources: KnownResources

  constructor(resources: KnownResources) {
    this.#resources = resources
  }

  request(served: ServedRequest): void {
    const { info, code, seconds, ownSeconds, bytes, dryRun, terminated, isApply } = served
    const labels = this.#labelsOf(info, isApply)
    this.#requests.add(countLabels(labels, code, dryRun), 1)
    if (terminated) this.#terminations.add(`${labels.base},${labelText({ code: String(code) })}`, 1)
    this.#durations.observe(dryRun ? labels.dryRun : labels.wetRun, seconds)
    this.#ownDurations.observe(labels.base, ownSeconds)
    if (isRead(info)) this.#sizes.observe(labels.base, bytes)
  }

  /** A watch or another answer without an end has begun. Returns its kind, for `endStream`. */
  beginStream(info: RequestInfo | undefined, code: number): StreamKind {
    const { base, wetRun } = this.#labelsOf(info, false)
    this.#longRunning.add(base, 1)
    const counted = `${wetRun},code="${code}"`
    const kind = this.#streamKinds.get(counted) ?? { base, counted }
    this.#streamKinds.set(counted, kind)
    return kind
  }

  /** Only now is it a request that was served. */
  endStream({ base, counted }: StreamKind, seconds: number): void {
    this.#longRunning.add(base, -1)
    this.#requests.add(counted, 1)
    this.#durations.observe(`${base},${runLabels.wet}`, seconds)
    this.#ownDurations.observe(base, seconds)
  }

  text(): string {
    return (
      this.#requests.text() +
      this.#terminations.text() +
      this.#durations.text() +
      this.#ownDurations.text() +
      this.#sizes.text() +
      this.#longRunning.text() +
      this.#deprecated.text()
    )
  }

  #note(info: ResourceRequest): void {
    const removed = this.#resources.removedRelease(info)
    if (removed === undefined) return
    const { group, version, resource, subresource } = info
    this.#deprecated.set(labelText({ group, version, resource, subresource, removed_release: removed }), 1)
  }

  #labelsOf(info: RequestInfo | undefined, isApply: boolean): Labels {
    const resource = info?.type === 'resource' && this.#resources.find(info).ok ? info : undefined
    const key =
      resource === undefined
        ? otherKey(info)
        : `${isApply ? 'apply' : resource.verb} ${resource.group}/${resource.version} ${resource.resource}/${resource.subresource} ${scopeOf(resource)}`
    let labels = this.#labels.get(key)
    if (labels === undefined) {
      labels = labelsFrom(resource === undefined ? otherLabels(key) : resourceLabels(resource, isApply))
      this.#labels.set(key, labels)
      if (resource !== undefined) this.#note(resource)
    }
    return labels
  }
}

const runLabels = { wet: labelText({ dry_run: '' }), dry: labelText({ dry_run: 'All' }) }

function labelsFrom(base: string): Labels {
  const wetRun = `${base},${runLabels.wet}`
  return { base, wetRun, dryRun: `${base},${runLabels.dry}`, counts: new Map() }
}

function countLabels({ wetRun, dryRun: dry, counts }: Labels, code: number, dryRun: boolean): string {
  const key = dryRun ? `${code} dry` : String(code)
  let text = counts.get(key)
  if (text === undefined) {
    text = `${dryRun ? dry : wetRun},${labelText({ code: String(code) })}`
    counts.set(key, text)
  }
  return text
}

function isRead(info: RequestInfo | undefined): boolean {
  return info?.type === 'resource' && (info.verb === 'get' || info.verb === 'list')
}

const httpVerbs: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
}

/** Subresources behind which another protocol begins, or an answer without an end. */
const connections: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

function resourceLabels(info: ResourceRequest, isApply: boolean): string {
  const verb = isApply ? 'APPLY' : (httpVerbs[info.verb ?? ''] ?? 'other')
  return labelText({
    component: 'apiserver',
    verb: connections.has(info.subresource) ? 'CONNECT' : verb,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    scope: scopeOf(info),
  })
}

const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz'])
const httpMethods: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete'])

/** `GET /readyz`, `GET `, `other `: of what is outside the resources, or is none that is served. */
function otherKey(info: RequestInfo | undefined): string {
  if (info?.type === 'nonResource' && healthPaths.has(info.path)) return `GET ${info.path}`
  if (info?.type === 'nonResource' && httpMethods.has(info.verb)) return `${info.verb.toUpperCase()} `
  return `${info?.type === 'resource' ? (httpVerbs[info.verb ?? ''] ?? 'other') : 'other'} `
}

/** The probes of the original belong to no component. */
function otherLabels(key: string): string {
  const [verb = '', path = ''] = key.split(' ', 2)
  const component = path === '' ? 'apiserver' : ''
  return labelText({ component, verb, group: '', version: '', resource: '', subresource: path, scope: '' })
}

/** What is made counts as one object. */
function scopeOf({ verb, name, namespace }: ResourceRequest): string {
  return name !== '' || verb === 'create' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster'
}
