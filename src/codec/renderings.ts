/** Which rendering serves a form of answers: one for each combination of encoding and shape, made when it is first asked for. */

import type { Clock } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import type { TableColumns } from '../types/columns/table.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { Encoding, Negotiated } from './accept.ts'
import { createProtobufRendering, type MessageOf } from './protobuf/rendering.ts'
import { createTextRendering, type Rendering } from './rendering.ts'
import { type IncludeObject, metadataAlone, type Shape, type ShapeOptions, wholeObjects } from './shape.ts'
import { createTableShape } from './table.ts'

interface RenderingsOptions {
  readonly type: ResourceType
  readonly names: Names
  /** Time for the ages in tables. */
  readonly clock: Pick<Clock, 'wallMs'>
  readonly columns: TableColumns
  /** What tables and metadata are made from. Absent: the stored object. */
  readonly source?: (stored: ApiObject) => ApiObject
  /** For protobuf. Absent: it must not be negotiated. */
  readonly messageOf?: MessageOf
}

const asStored = (stored: ApiObject): ApiObject => stored

/** The renderings of one served resource, made on first use: at most one for each combination of forms. */
export function createRenderings({ source = asStored, messageOf, ...served }: RenderingsOptions) {
  const renderings = new Map<string, Rendering>()
  /** What was asked for last, which is asked for again as a rule. */
  let latest:
    | {
        readonly form: Negotiated
        readonly pretty: boolean
        readonly includeObject: IncludeObject
        readonly rendering: Rendering
      }
    | undefined
  return (form: Negotiated, pretty: boolean, includeObject: IncludeObject): Rendering => {
    if (latest?.form === form && latest.pretty === pretty && latest.includeObject === includeObject)
      return latest.rendering
    const { transform, metaVersion } = form
    const id = `${form.encoding} ${transform} ${metaVersion} ${pretty} ${includeObject}`
    let rendering = renderings.get(id)
    if (rendering === undefined) {
      rendering = createRendering(
        { ...served, source, transform, metaVersion, includeObject },
        form.encoding,
        pretty,
      )
      renderings.set(id, rendering)
    }
    latest = { form, pretty, includeObject, rendering }
    return rendering
  }

  function createRendering(options: ShapeOptions, encoding: Encoding, pretty: boolean): Rendering {
    if (encoding !== 'protobuf')
      return createTextRendering(createShape(options), encoding, pretty, options.names)
    if (messageOf === undefined) throw new TypeError(`${options.type.plural} has no protobuf form`)
    return createProtobufRendering(options, messageOf)
  }
}

function createShape(options: ShapeOptions): Shape {
  switch (options.transform) {
    case 'none':
      return wholeObjects(options.type)
    case 'partial':
      return metadataAlone(options)
    case 'table':
      return createTableShape(options)
  }
}
