/** watch: changes of a collection or of one item, as a stream. Source: specification, "Watch event", "watch semantics". */

import type { Clock, Result, Timer } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { Rendering } from '../codec/rendering.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import type { StreamOwner } from '../pipeline/stream.ts'
import { badRequest, notAcceptable } from '../status/failures.ts'
import type { ActiveWatch, StorageReadFailure, WatchRequest } from '../storage/contract.ts'
import { readApiFailure } from '../storage/failures.ts'
import { watchStart } from '../storage/freshness.ts'
import type { ApiRequest, Checked, Machinery, ResourceRoute } from './machinery.ts'
import { readParameters, readSelector } from './read-options.ts'
import { requestedInclude } from './respond.ts'

/** What timers can count: 24 days. */
const timeoutMsMax = 2 ** 31 - 1

/** Answers without an end, so that a stop can end them. */
export interface StreamRegister {
  add(stream: { close(): void }): void
  remove(stream: { close(): void }): void
}

export async function watchObjects(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
  register: StreamRegister,
): Promise<Outcome> {
  const asked = watchRequest(route, request, machinery)
  if (!asked.ok) return asked
  const { rendering, watch } = asked.value
  const contentType = rendering.watchContentType
  const running = new RunningWatch()
  const open = () => rendering.openStream(request.openStream({ 'Content-Type': contentType }, running))
  const started = await route.storage.watch(watch, open)
  if (!started.ok) return startFailure(started.failure, watch, open)
  running.start(started.value, register)
  // Sending the state is work like that of a list: the request keeps its seats for it.
  if (watch.start.type === 'state') await soon(started.value.stateSent(), machinery.clock)
  return ok({ type: 'streaming', code: 200 })
}

/** Ties a watch to its stream: whichever ends first ends the other. The stream may end before the watch is known. */
class RunningWatch implements StreamOwner {
  #ended = false
  #active: ActiveWatch | undefined
  #register: StreamRegister | undefined

  start(active: ActiveWatch, register: StreamRegister): void {
    if (this.#ended) {
      active.close()
      return
    }
    this.#active = active
    this.#register = register
    register.add(active)
  }

  onStreamEnd(): void {
    this.#ended = true
    if (this.#active === undefined) return
    this.#register?.remove(this.#active)
    this.#active.close()
  }
}

/** Whoever does not read what is sent keeps nobody from a seat for longer. */
const stateMsMax = 60_000

async function soon(sent: Promise<void> | undefined, clock: Clock): Promise<void> {
  if (sent === undefined) return
  let timer: Timer | undefined
  const tooLate = new Promise<void>((resolve) => {
    timer = clock.after(stateMsMax, resolve)
  })
  await Promise.race([sent, tooLate])
  timer?.cancel()
}

/** A version that is gone is told inside the stream, where clients of watches look for it. */
function startFailure(
  failure: StorageReadFailure,
  { representation }: WatchRequest,
  open: () => ReturnType<ApiRequest['openStream']>,
): Outcome {
  if (failure.code !== 'ListExpired') return fail(readApiFailure(failure))
  const stream = open()
  const { requested, oldest } = failure
  stream.write(representation.error({ code: 'Compacted', requested, oldest }))
  stream.end()
  return ok({ type: 'streaming', code: 200 })
}

function watchRequest(
  route: ResourceRoute,
  { exchange, query, info }: ApiRequest,
  machinery: Machinery,
): Checked<{ readonly watch: WatchRequest; readonly rendering: Rendering }> {
  const form = route.negotiateWatch(exchange.header('accept'))
  if (form === undefined) return fail(notAcceptable(acceptedTypes(route, exchange)))
  const includeObject = requestedInclude(query, form)
  if (!includeObject.ok) return includeObject
  const selector = readSelector(query, route.type)
  if (!selector.ok) return selector
  const timeoutMs = watchTimeout(query.integer('timeoutSeconds'), machinery)
  if (!timeoutMs.ok) return timeoutMs
  const verdict = watchStart(readParameters(query), machinery)
  if (!verdict.ok) return verdict
  const rendering = route.rendering(form, false, includeObject.value)
  const watch: WatchRequest = {
    selector: selector.value,
    start: verdict.value.start,
    bookmarks: verdict.value.bookmarks,
    timeoutMs: timeoutMs.value,
    representation: rendering.watch,
    ...(info.namespace === '' ? {} : { namespace: info.namespace }),
    ...(info.name === '' ? {} : { name: info.name }),
  }
  return ok({ watch, rendering })
}

/** What reads take and watches do not is told apart from what nobody takes. */
function acceptedTypes({ mediaTypes, negotiate }: ResourceRoute, exchange: Exchange): readonly string[] {
  if (negotiate(exchange.header('accept')) === undefined) return mediaTypes
  return mediaTypes.filter((type) => type !== yamlType).map((type) => `${type};stream=watch`)
}

const yamlType = 'application/yaml'

/** Spread over a range, so that watches which began together do not all come back together. */
function watchTimeout(
  asked: Result<number | undefined, string>,
  { minRequestTimeoutMs, identifiers }: Machinery,
): Checked<number> {
  if (!asked.ok) return fail(badRequest(asked.failure))
  if (asked.value !== undefined && asked.value > 0) return ok(Math.min(asked.value * 1000, timeoutMsMax))
  return ok(Math.round(minRequestTimeoutMs * (1 + identifiers.fraction())))
}
