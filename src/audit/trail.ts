/**
 * What is written down of one request, from its beginning to its end.
 *
 *     received ─▶ impersonated, annotated, its object seen ─▶ started, where it goes on for long ─▶ completed
 *                                                             └▶ panicked
 *
 * Source: audit.k8s.io/v1 Event.
 */

import type { User } from '../pipeline/user.ts'
import type { AuditedRequest, RequestObject } from './annotations.ts'
import type { Annotation, AuditEvent, ObjectReference, RequestFacts, ResponseStatus } from './event.ts'
import type { AuditMetrics } from './metrics.ts'
import { onOneLine, withoutManagedFields } from './objects.ts'
import { type AuditLevel, type AuditStage, type AuditVerdict, auditLevels } from './policy.ts'
import type { AuditSink } from './sink.ts'

/** The same for all requests. */
interface TrailParts {
  readonly sink: AuditSink
  readonly metrics: AuditMetrics
  /** Now. Microseconds since 1970. */
  readonly micros: () => number
}

export class AuditTrail implements AuditedRequest {
  readonly #parts: TrailParts
  readonly #verdict: AuditVerdict
  readonly #facts: RequestFacts
  readonly #isLong: boolean
  #ref: ObjectReference | undefined
  #impersonatedUser: User | undefined
  #requestObject: string | undefined
  #responseObject: string | undefined
  #status: ResponseStatus | undefined
  #hasStarted = false
  #isEarly = false
  #isOver = false
  /** Entries have it; it changes by another taking its place. */
  #annotations: readonly Annotation[] = none

  /** @param isLong it may go on for as long as it likes: a watch */
  constructor(
    parts: TrailParts,
    verdict: AuditVerdict,
    facts: RequestFacts,
    ref: ObjectReference | undefined,
    isLong: boolean,
  ) {
    this.#parts = parts
    this.#verdict = verdict
    this.#facts = facts
    this.#ref = ref
    this.#isLong = isLong
  }

  /** False = it must not be served, for nobody would know of it. */
  received(): boolean | Promise<boolean> {
    return this.#tell('RequestReceived', this.#facts.receivedMicros)
  }

  impersonated(user: User): void {
    this.#impersonatedUser = user
  }

  annotate(key: string, value: string, level: AuditLevel = 'Metadata'): void {
    if (!this.#writes(level)) return
    if (this.#annotations.some(([known]) => known === key)) return
    this.#annotations = [...this.#annotations, [key, value]]
  }

  requestObject(object: RequestObject): void {
    const ref = this.#ref
    if (ref !== undefined) this.#ref = completed(ref, object)
    if (!this.#writes('Request')) return
    this.#requestObject = this.#shown(JSON.stringify(object))
  }

  requestBody(body: Buffer | object): void {
    if (!this.#writes('Request')) return
    this.#requestObject = Buffer.isBuffer(body) ? onOneLine(body.toString('utf8')) : JSON.stringify(body)
  }

  /** Nobody knows whose it is, or what it asks for: its answer is all that there is to tell. */
  refusedEarly(): void {
    this.#isEarly = true
  }

  /** What it is answered with. `object`: JSON text. */
  answered(status: ResponseStatus, object: string | undefined): void {
    this.#status = status
    if (object !== undefined)
      this.#responseObject = this.#shown(object.includes('\n') ? onOneLine(object) : object)
  }

  /** Its headers have been sent, and it goes on. */
  started(code: number): void {
    this.#status = { code }
    this.#start()
  }

  /** No byte of its answer will be sent any more. */
  completed(): void {
    if (this.#isOver) return
    if (this.#isLong || this.#isEarly) this.#start()
    if (!this.#isEarly) void this.#tell('ResponseComplete', this.#parts.micros())
  }

  /** Serving it met a bug: what comes after is none of its business. */
  panicked(message: string): void {
    this.#isOver = true
    this.#status = {
      status: 'Failure',
      message: `APIServer panic'd: ${message}`,
      reason: 'InternalError',
      code: 500,
    }
    void this.#tell('Panic', this.#parts.micros())
  }

  /** Whether the object in the answer is written down: it costs to keep it. */
  get showsAnswer(): boolean {
    return this.#writes('RequestResponse')
  }

  /** Once. */
  #start(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    void this.#tell('ResponseStarted', this.#parts.micros())
  }

  #shown(text: string): string {
    return this.#verdict.omitManagedFields ? withoutManagedFields(text) : text
  }

  #writes(level: AuditLevel): boolean {
    return auditLevels.indexOf(level) <= auditLevels.indexOf(this.#verdict.level)
  }

  #tell(stage: AuditStage, stageMicros: number): boolean | Promise<boolean> {
    if (this.#verdict.omitStages.has(stage)) return true
    const event: AuditEvent = {
      facts: this.#facts,
      level: this.#verdict.level,
      stage,
      impersonatedUser: this.#impersonatedUser,
      objectRef: this.#ref,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      stageMicros,
      annotations: this.#annotations,
    }
    this.#parts.metrics.event()
    return this.#parts.sink.process([event])
  }
}

const none: readonly Annotation[] = []

/** The path says more than the body: that fills in what is missing. */
function completed(ref: ObjectReference, { metadata }: RequestObject): ObjectReference {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata
  return {
    ...ref,
    namespace: ref.namespace === '' ? namespace : ref.namespace,
    name: ref.name === '' ? name : ref.name,
    uid: ref.uid === '' ? uid : ref.uid,
    resourceVersion: ref.resourceVersion === '' ? resourceVersion : ref.resourceVersion,
  }
}
