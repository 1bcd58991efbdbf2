/**
 * Content negotiation: which form of the answer the client gets.
 *
 * Source: specification, "Headers and content types"; RFC 9110, section 12.5.1.
 */

import type { Names } from '../names/names.ts'

export type Encoding = 'json' | 'yaml' | 'protobuf'

/** `none`: the objects themselves. */
export type Transform = 'none' | 'table' | 'partial'

/** Tables and metadata alone are the same in both versions, but for what they call themselves. */
export type MetaVersion = 'v1' | 'v1beta1'

export interface Negotiated {
  readonly encoding: Encoding
  readonly transform: Transform
  /** Of the table or the metadata. */
  readonly metaVersion: MetaVersion
  /** Asked for with the media type: `application/json;pretty=1`. */
  readonly pretty: boolean
  /** Metadata alone: of one object, or of a list; undefined = something else is asked for. */
  readonly partialOf: 'object' | 'list' | undefined
}

/** What an endpoint can give. */
export interface Offer {
  readonly transforms: ReadonlySet<Transform>
  readonly yaml: boolean
  /** Absent = no; `metadata` = of metadata alone. Tables have no protobuf form in any case. */
  readonly protobuf?: boolean | 'metadata'
}

/** Of what has no protobuf form. */
const supportedMediaTypes: readonly string[] = ['application/json', 'application/yaml']

/** Of built-in types. */
export function mediaTypesOf({ protobufMediaType }: Names): readonly string[] {
  return [...supportedMediaTypes, protobufMediaType]
}

interface Clause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** Kept answers for header texts seen; all are forgotten when there are more. */
const rememberedMax = 512

/** Negotiates by `Accept` header. Undefined = none of the media types can be given: 406. */
type Negotiator = (accept: string | undefined) => Negotiated | undefined

const plain: Negotiated = {
  encoding: 'json',
  transform: 'none',
  metaVersion: 'v1',
  pretty: false,
  partialOf: undefined,
}

export function createNegotiator(names: Names, offer: Offer): Negotiator {
  const remembered = new Map<string, Negotiated | undefined>()
  return (accept) => {
    if (accept === undefined || accept === '' || accept === 'application/json') return plain
    if (remembered.has(accept)) return remembered.get(accept)
    const answer = firstFitting(parseAccept(accept), names, offer)
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(accept, answer)
    return answer
  }
}

/** Clauses with rising preference last put first: quality, then the order of the header. */
export function parseAccept(header: string): readonly Clause[] {
  return header
    .split(',')
    .map(parseClause)
    .filter((clause) => clause.quality > 0 && clause.type !== '')
    .sort((a, b) => b.quality - a.quality)
}

function parseClause(text: string): Clause {
  const [type = '', ...pieces] = text.split(';').map((piece) => piece.trim())
  const parameters = new Map<string, string>()
  for (const piece of pieces) {
    const equals = piece.indexOf('=')
    if (equals > 0)
      parameters.set(piece.slice(0, equals).toLowerCase().trim(), unquote(piece.slice(equals + 1).trim()))
  }
  const quality = Number(parameters.get('q') ?? 1)
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality }
}

function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

function firstFitting(clauses: readonly Clause[], names: Names, offer: Offer): Negotiated | undefined {
  for (const clause of clauses) {
    const encoding = encodingOf(clause.type, names, offer)
    const transform = transformOf(clause.parameters, names)
    if (encoding === undefined || transform === undefined || !offer.transforms.has(transform)) continue
    if (encoding === 'protobuf' && !hasProtobuf(transform, offer)) continue
    const stream = clause.parameters.get('stream')
    if (stream !== undefined && stream !== 'watch') continue
    return {
      encoding,
      transform,
      metaVersion: clause.parameters.get('v') === 'v1beta1' ? 'v1beta1' : 'v1',
      pretty: clause.parameters.get('pretty') === '1',
      partialOf: transform === 'partial' ? partialOf(clause.parameters) : undefined,
    }
  }
  return undefined
}

function hasProtobuf(transform: Transform, { protobuf }: Offer): boolean {
  return transform !== 'table' && (protobuf !== 'metadata' || transform === 'partial')
}

/** What a media range of an `Accept` header asks for; undefined = nothing that is offered. */
export function encodingOf(
  type: string,
  names: Names,
  offer: Pick<Offer, 'yaml' | 'protobuf'>,
): Encoding | undefined {
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return 'json'
    case 'application/yaml':
      return offer.yaml ? 'yaml' : undefined
    case names.protobufMediaType:
      return offer.protobuf === undefined || offer.protobuf === false ? undefined : 'protobuf'
    default:
      return undefined
  }
}

function partialOf(parameters: ReadonlyMap<string, string>): 'object' | 'list' {
  return parameters.get('as') === 'PartialObjectMetadataList' ? 'list' : 'object'
}

/** Undefined = a form that this API does not know. */
function transformOf(parameters: ReadonlyMap<string, string>, names: Names): Transform | undefined {
  const as = parameters.get('as')
  if (as === undefined) return 'none'
  if (parameters.get('g') !== names.metaGroup) return undefined
  const version = parameters.get('v')
  if (version !== 'v1' && version !== 'v1beta1') return undefined
  switch (as) {
    case 'Table':
      return 'table'
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return 'partial'
    default:
      return undefined
  }
}
