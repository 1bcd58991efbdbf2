/**
 * The failures of the API, made from facts. Clients parse some of these messages and people search for them, so they
 * keep the wording that users of this API know.
 */

import type { ApiFailure, Cause } from './status.ts'

/** What a message calls a resource: `configmaps`, `deployments.apps`. */
export interface ResourceRef {
  readonly group: string
  readonly resource: string
}

interface KindRef {
  readonly group: string
  readonly kind: string
}

function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`
}

/** What is empty is left out, as everywhere on the wire. */
function about(ref: ResourceRef, name: string): { name?: string; group?: string; kind?: string } {
  return {
    ...(name === '' ? {} : { name }),
    ...(ref.group === '' ? {} : { group: ref.group }),
    ...(ref.resource === '' ? {} : { kind: ref.resource }),
  }
}

/** 400: the request itself makes no sense. */
export function badRequest(message: string): ApiFailure {
  return { reason: 'BadRequest', message }
}

export const unauthorized: ApiFailure = { reason: 'Unauthorized', message: 'Unauthorized' }

/** The path names nothing that is served. */
export const unknownResource: ApiFailure = {
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
}

/** A resource, or a version, that was served once. The words of {@link unknownResource} come first: clients look for them. */
export function removedResource(removal: string): ApiFailure {
  return { ...unknownResource, message: `${unknownResource.message}: ${removal}` }
}

export const methodNotAllowed: ApiFailure = {
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
}

/** 405: of a custom resource whose definition is going away. */
export function terminatingResource({ group, resource }: ResourceRef, verb: string): ApiFailure {
  return {
    ...methodNotAllowed,
    message: `${verb} not allowed while custom resource definition is terminating`,
    details: { group, kind: resource },
  }
}

/** 404. */
export function notFound(ref: ResourceRef, name: string): ApiFailure {
  return {
    reason: 'NotFound',
    message: `${qualified(ref.resource, ref.group)} "${name}" not found`,
    details: about(ref, name),
  }
}

/** 409: there is one of that name. */
export function alreadyExists(ref: ResourceRef, name: string): ApiFailure {
  return {
    reason: 'AlreadyExists',
    message: `${qualified(ref.resource, ref.group)} "${name}" already exists`,
    details: about(ref, name),
  }
}

/** A generated name was taken, again and again. */
export function generateNameConflict(ref: ResourceRef, name: string): ApiFailure {
  return {
    reason: 'AlreadyExists',
    message: `${qualified(ref.resource, ref.group)} "${name}" already exists, the server was not able to generate a unique name for the object`,
    details: { ...about(ref, name), retryAfterSeconds: 1 },
  }
}

/** 409: the object is not as the request says it is. */
export function conflict(ref: ResourceRef, name: string, why: string): ApiFailure {
  return {
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(ref.resource, ref.group)} "${name}": ${why}`,
    details: about(ref, name),
  }
}

const modifiedText =
  'the object has been modified; please apply your changes to the latest version and try again'

/** Somebody else's write came between the caller's read and this write. */
export function modified(ref: ResourceRef, name: string): ApiFailure {
  return conflict(ref, name, modifiedText)
}

/** `why` ends the message after `is forbidden: `. */
export function forbidden(
  ref: ResourceRef,
  name: string,
  why: string,
  causes?: readonly Cause[],
): ApiFailure {
  const subject = qualified(ref.resource, ref.group)
  return {
    reason: 'Forbidden',
    message: `${name === '' ? subject : `${subject} "${name}"`} is forbidden: ${why}`,
    details: { ...about(ref, name), ...(causes === undefined ? {} : { causes }) },
  }
}

/** One cause stands inline; several in brackets. Causes must not be empty. */
export function invalid(ref: KindRef, name: string, causes: readonly Cause[]): ApiFailure {
  const told = causes.map((cause) =>
    cause.field === undefined ? cause.message : `${cause.field}: ${cause.message}`,
  )
  // What is said twice among the causes is said once in the text.
  const texts = [...new Set(told)]
  const what = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return {
    reason: 'Invalid',
    message: `${qualified(ref.kind, ref.group)} "${name}" is invalid: ${what}`,
    details: { ...about({ group: ref.group, resource: ref.kind }, name), causes },
  }
}

/** A patch whose operations cannot be applied to the object. */
export function unprocessablePatch(why: string): ApiFailure {
  return {
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: { causes: [{ reason: 'UnexpectedServerResponse', message: why }] },
  }
}

/** 413. */
export function tooLarge(message: string): ApiFailure {
  return { reason: 'RequestEntityTooLarge', message }
}

/** 415: of the body. */
export function unsupportedMediaType(supported: readonly string[]): ApiFailure {
  return {
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  }
}

/** 406: of the answer. */
export function notAcceptable(supported: readonly string[]): ApiFailure {
  return {
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${supported.join(', ')}`,
  }
}

/** 500. The message goes to clients: no detail of the inside. */
export function internalError(message: string): ApiFailure {
  return {
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ reason: '', message }] },
  }
}

/** The request took longer than it may. The change that it asked for may still happen. */
export const requestTimeout: ApiFailure = {
  reason: 'Timeout',
  message: 'Timeout: request did not complete within the allotted timeout',
  details: {},
}
