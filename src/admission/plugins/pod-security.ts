/**
 * PodSecurity: labels of a namespace say which standard its pods must meet (`enforce`), and which they are only
 * measured by (`warn`).
 */

import type { Names } from '../../names/names.ts'
import { invalidValue } from '../../status/causes.ts'
import { invalid } from '../../status/failures.ts'
import type { ApiFailure, Cause } from '../../status/status.ts'
import { type draftOf, ensureObject, objectAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { Lookups } from '../lookup.ts'
import { isLevel, isVersion, levels, type Mode, problemOf, standardOf } from '../pod-security/standard.ts'
import { containersOf, isOf, pods, refusal } from '../request.ts'

/** Where workloads keep the template of their pods: path to the object that has a spec. */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ['apps/daemonsets', ['spec', 'template']],
  ['apps/deployments', ['spec', 'template']],
  ['apps/replicasets', ['spec', 'template']],
  ['apps/statefulsets', ['spec', 'template']],
  ['batch/jobs', ['spec', 'template']],
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template']],
  ['core/podtemplates', ['template']],
  ['core/replicationcontrollers', ['spec', 'template']],
])

export function createPodSecurity(names: Names, lookups: Lookups): AdmissionPlugin {
  const namespaces = lookups('core/namespaces')
  const prefix = names.expand('pod-security.{labels}/')
  const labelOf = (mode: Mode): string => prefix + mode

  /** Without a label of ours nothing is asked of pods. */
  const concernsPods = (labels: Readonly<Record<string, string>>): boolean =>
    Object.keys(labels).some((label) => label.startsWith(prefix))

  async function checkPod(request: AdmissionRequest, pod: ApiObject): Promise<ApiFailure | undefined> {
    const found = await namespaces.get({ namespace: '', name: request.namespace })
    if (!found.ok) return found.failure
    const labels = found.value?.metadata.labels ?? {}
    const isPod = isOf(request, pods)
    const enforced = standardOf(labels, labelOf('enforce'))
    if (isPod) request.audit?.annotate(`${prefix}enforce-policy`, `${enforced.level}:${enforced.version}`)
    if (!concernsPods(labels)) return undefined
    const path = templates.get(request.type.storage?.prefix ?? '') ?? []
    const template = objectAt(pod, ...path)
    if (template === undefined) return undefined
    const checked = {
      annotations: annotationsOf(template),
      spec: ensureObject(template, 'spec'),
      labelDomain: names.labelDomain,
    }
    if (request.audit !== undefined) {
      const audited = problemOf(checked, standardOf(labels, labelOf('audit')))
      if (audited !== undefined)
        request.audit.annotate(`${prefix}audit-violations`, `would violate ${audited}`)
    }
    const problem = isPod ? problemOf(checked, enforced) : undefined
    if (problem !== undefined) return refusal(request, `violates ${problem}`)
    const warning = problemOf(checked, standardOf(labels, labelOf('warn')))
    if (warning !== undefined) request.warnings?.push(`would violate ${warning}`)
    return undefined
  }

  function checkNamespace({ type, object, oldObject }: AdmissionRequest): ApiFailure | undefined {
    const { name = '', labels = {} } = object?.metadata ?? {}
    const before = oldObject?.metadata.labels ?? {}
    const causes = (['enforce', 'audit', 'warn'] as const).flatMap((mode) =>
      labelCauses(labels, before, labelOf(mode)),
    )
    return causes.length === 0 ? undefined : invalid(type, name, causes)
  }

  return {
    name: 'PodSecurity',
    validate(request) {
      const { object, operation, subresource } = request
      if (object === undefined || operation === 'DELETE') return undefined
      if (isOf(request, 'core/namespaces')) return subresource === '' ? checkNamespace(request) : undefined
      const isPod = isOf(request, pods)
      if (!isPod && !templates.has(request.type.storage?.prefix ?? '')) return undefined
      if (subresource !== '' && !(isPod && subresource === 'ephemeralcontainers')) return undefined
      return isPod && isOldNews(request) ? undefined : checkPod(request, object)
    },
  }
}

/** An update after which the same containers run under the same names. */
function isOldNews({ object, oldObject }: AdmissionRequest): boolean {
  if (object === undefined || oldObject === undefined) return false
  return significant(object) === significant(oldObject)
}

function significant(pod: ApiObject): string {
  const spec = objectAt(pod, 'spec')
  return JSON.stringify([containersOf(spec).map(({ container }) => container), pod.metadata.annotations])
}

function annotationsOf(template: ReturnType<typeof draftOf>): Readonly<Record<string, string>> {
  const annotations = objectAt(template, 'metadata', 'annotations') ?? {}
  return Object.fromEntries(
    Object.entries(annotations).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  )
}

/** Only of labels that this request changes. */
function labelCauses(
  labels: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
  label: string,
): readonly Cause[] {
  const versionLabel = `${label}-version`
  const { [label]: level, [versionLabel]: version } = labels
  const causes: Cause[] = []
  if (level !== undefined && level !== before[label] && !isLevel(level))
    causes.push(invalidValue(`metadata.labels[${label}]`, level, `must be one of ${levels.join(', ')}`))
  if (version !== undefined && version !== before[versionLabel] && !isVersion(version))
    causes.push(invalidValue(`metadata.labels[${versionLabel}]`, version, 'must be "latest" or "v1.x"'))
  return causes
}
