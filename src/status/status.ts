/**
 * Every way in which a request can fail, as data. A failure carries facts; `toStatus` is the one place that turns
 * them into the `Status` object that clients read.
 *
 * Source: specification, "Errors"; Kubernetes API conventions, "Response Status Kind".
 */

/** One machine-readable detail of a failure; of an invalid object, one for each field. */
export interface Cause {
  /** `FieldValueInvalid`, `FieldValueRequired`, `FieldManagerConflict`, `NamespaceTerminating`, …; '' = none. */
  readonly reason: string
  readonly message: string
  /** Path as people write it: `spec.containers[0].name`, `metadata.labels[a.b/c]`. */
  readonly field?: string
}

export interface FailureDetails {
  readonly name?: string
  readonly group?: string
  /** Plural resource name, except for `Invalid`, where it is the kind, as clients of this API expect. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly Cause[]
  readonly retryAfterSeconds?: number
}

/** Closed set: reason → HTTP status code. */
const statusCodes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  ServerTimeout: 500,
} as const

type StatusReason = keyof typeof statusCodes

export interface ApiFailure {
  readonly reason: StatusReason
  readonly message: string
  readonly details?: FailureDetails
  /** What clients read in place of `reason`, where somebody else has worded the refusal; '' = nothing. */
  readonly saidReason?: string
  /** Only where the code differs from the reason's usual one. */
  readonly code?: number
  /** `metadata.continue` of the answer: lets a client go on with a list whose version has expired. */
  readonly continueToken?: string
}

/** The wire form, `kind: Status` of `v1`. */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: Omit<FailureDetails, 'causes'> & {
    readonly causes?: readonly (Omit<Cause, 'reason'> & { readonly reason?: string })[]
  }
  readonly code?: number
}

/** The answer to a deletion that left nothing to show. */
export function successStatus(details: FailureDetails): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

/** HTTP status code: of the reason, unless the failure says another. */
export function codeOf(failure: ApiFailure): number {
  return failure.code ?? statusCodes[failure.reason]
}

/** A cause without a reason says none, and one of the whole object no field. */
function shownDetails(details: FailureDetails): NonNullable<Status['details']> {
  const { causes, ...rest } = details
  if (causes?.some(({ reason, field }) => reason === '' || field === '') !== true) return details
  return { ...rest, causes: causes.map(shownCause) }
}

function shownCause({ reason, message, field }: Cause) {
  return {
    ...(reason === '' ? {} : { reason }),
    message,
    ...(field === undefined || field === '' ? {} : { field }),
  }
}

function reasonOf({ reason, saidReason = reason }: ApiFailure): Pick<Status, 'reason'> {
  return saidReason === '' ? {} : { reason: saidReason }
}

/** The object that clients get. */
export function toStatus(failure: ApiFailure): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: failure.continueToken === undefined ? {} : { continue: failure.continueToken },
    status: 'Failure',
    message: failure.message,
    ...reasonOf(failure),
    ...(failure.details === undefined ? {} : { details: shownDetails(failure.details) }),
    code: codeOf(failure),
  }
}
