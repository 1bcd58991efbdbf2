/** What the server counts of its requests. Names and labels are those that dashboards of this API know. */

import type { RequestInfo, ResourceRequest } from '../pipeline/request-info.ts'
import { Histogram, labelText, Numbers } from './exposition.ts'

export interface ServedRequest {
  /** Undefined = the path could not be read. */
  readonly info: RequestInfo | undefined
  readonly code: number
  readonly seconds: number
  /** Without the time that it waited for a seat. */
  readonly ownSeconds: number
  readonly bytes: number
  readonly dryRun: boolean
  /** The server has given it up: it took too long, or met a bug. */
  readonly terminated: boolean
}

const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8]

/** One text for all streams of the same kind. */
export type StreamKind = string

/** Labels of one kind of request; `base` without code and dry run. */
interface Labels {
  readonly base: string
  readonly counts: Map<string, string>
}

/** The router, as far as metrics need it. */
export interface KnownResources {
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
    'Time from the arrival of a request to the end of its answer, watches excepted.',
    durationBounds,
  )
  readonly #ownDurations = new Histogram(
    'apiserver_request_sli_duration_seconds',
    'As apiserver_request_duration_seconds, without the time that a request waited for a seat.',
    durationBounds,
  )
  readonly #sizes = new Histogram('apiserver_response_sizes', 'Bytes of answers to reads.', sizeBounds)
  readonly #longRunning = new Numbers('apiserver_longrunning_requests', 'Watches now.', 'gauge')
  readonly #deprecated = new Numbers(
    'apiserver_requested_deprecated_apis',
    'Deprecated versions that were asked for, and the release in which they will be gone.',
    'gauge',
  )
  readonly #labels = new Map<string, Labels>()
  readonly #resources: KnownResources

  constructor(resources: KnownResources) {
    this.#resources = resources
  }

  request({ info, code, seconds, ownSeconds, bytes, dryRun, terminated }: ServedRequest): void {
    const labels = this.#labelsOf(info)
    this.#requests.add(countLabels(labels, code, dryRun), 1)
    if (terminated) this.#terminations.add(`${labels.base},${labelText({ code: String(code) })}`, 1)
    this.#durations.observe(labels.base, seconds)
    this.#ownDurations.observe(labels.base, ownSeconds)
    if (isRead(info)) this.#sizes.observe(labels.base, bytes)
  }

  /** A watch has begun. Returns its kind, for `endStream`. */
  beginStream(info: RequestInfo | undefined): StreamKind {
    const labels = this.#labelsOf(info)
    this.#requests.add(countLabels(labels, 200, false), 1)
    this.#longRunning.add(labels.base, 1)
    return labels.base
  }

  endStream(kind: StreamKind): void {
    this.#longRunning.add(kind, -1)
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

  #labelsOf(info: RequestInfo | undefined): Labels {
    const resource = info?.type === 'resource' && this.#resources.find(info).ok ? info : undefined
    const key =
      resource === undefined
        ? ''
        : `${resource.verb} ${resource.group}/${resource.version} ${resource.resource}/${resource.subresource} ${scopeOf(resource)}`
    let labels = this.#labels.get(key)
    if (labels === undefined) {
      labels = { base: baseLabels(resource), counts: new Map() }
      this.#labels.set(key, labels)
      if (resource !== undefined) this.#note(resource)
    }
    return labels
  }
}

function countLabels({ base, counts }: Labels, code: number, dryRun: boolean): string {
  const key = dryRun ? `${code} dry` : String(code)
  let text = counts.get(key)
  if (text === undefined) {
    text = `${base},${labelText({ dry_run: dryRun ? 'All' : '', code: String(code) })}`
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

function baseLabels(info: ResourceRequest | undefined): string {
  return labelText({
    component: 'apiserver',
    verb: info === undefined ? 'other' : (httpVerbs[info.verb ?? ''] ?? 'other'),
    group: info?.group ?? '',
    version: info?.version ?? '',
    resource: info?.resource ?? '',
    subresource: info?.subresource ?? '',
    scope: info === undefined ? '' : scopeOf(info),
  })
}

function scopeOf({ name, namespace }: ResourceRequest): string {
  return name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster'
}
