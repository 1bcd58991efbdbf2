/** The form of an answer, as the client asked for it. */

import { fail, ok } from '../../store/contract.ts'
import type { Negotiated } from '../codec/accept.ts'
import type { Rendering } from '../codec/rendering.ts'
import type { IncludeObject } from '../codec/shape.ts'
import type { Answer } from '../pipeline/answer.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import type { Query } from '../pipeline/query.ts'
import { badRequest, notAcceptable } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ResourceType } from '../types/resource.ts'
import type { ApiRequest, Checked, ResourceRoute } from './machinery.ts'

const includeObjects: readonly IncludeObject[] = ['None', 'Metadata', 'Object']

/** What an answer in the form that a client asks for is made with. */
export type Shown = Pick<ResourceRoute, 'mediaTypes' | 'negotiate' | 'rendering'>

/** The form in which the client wants its answer; the failure is 406, or 400 for a parameter of tables. */
export function requestedRendering(route: Shown, request: ApiRequest): Checked<Rendering> {
  const form = route.negotiate(request.exchange.header('accept'))
  if (form === undefined) return fail(notAcceptable(route.mediaTypes))
  const includeObject = requestedInclude(request.query, form)
  if (!includeObject.ok) return includeObject
  const pretty = form.pretty || wantsPretty(request.exchange, request.query)
  return ok(route.rendering(form, pretty, includeObject.value))
}

/** A parameter of tables alone: other forms do not look at it. */
export function requestedInclude(query: Query, { transform }: Negotiated): Checked<IncludeObject> {
  const text = query.text('includeObject')
  if (transform !== 'table' || text === undefined || text === '') return ok('Metadata')
  const found = includeObjects.find((one) => one === text)
  return found === undefined
    ? fail(
        badRequest(
          `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
        ),
      )
    : ok(found)
}

/**
 * Metadata of one object is asked for in another way than that of a list. The failure is 406.
 * @param isList the answer is one
 */
export function partialProblem(
  { negotiate, type }: Pick<ResourceRoute, 'negotiate' | 'type'>,
  { exchange }: ApiRequest,
  isList: boolean,
): ApiFailure | undefined {
  const accept = exchange.header('accept')
  if (accept === undefined || !accept.includes('PartialObjectMetadata')) return undefined
  const asked = negotiate(accept)?.partialOf
  if (asked === undefined || (asked === 'list') === isList) return undefined
  const message = isList
    ? `you requested PartialObjectMetadata, but the requested object is a list (${internalName(type, true)})`
    : `you requested PartialObjectMetadataList, but the requested object is not a list (${internalName(type, false)})`
  return { reason: 'NotAcceptable', message }
}

/** As the original calls it: `*core.PodList`. */
function internalName({ group, kind, listKind, custom }: ResourceType, isList: boolean): string {
  if (custom !== undefined) return isList ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured'
  const [first = ''] = group.split('.')
  const home =
    first === '' || first === 'events' ? 'core' : first === 'internal' ? 'apiserverinternal' : first
  return `*${home}.${isList ? listKind : kind}`
}

const people = /^(curl|Wget|Mozilla\/5\.0)/

/** Asked for, or the client is one that people read with. */
export function wantsPretty(exchange: Exchange, query: Query): boolean {
  return query.flag('pretty') ?? people.test(exchange.header('user-agent') ?? '')
}

export function objectAnswer(code: number, rendering: Rendering, stored: Buffer): Answer {
  return { type: 'body', code, contentType: rendering.contentType, body: rendering.object(stored) }
}
