/** Which view serves a form of answers: one for each combination of encoding and shape, made when it is first asked for. */

import type { Clock } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import type { TableColumns } from '../types/columns/table.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { Encoding, Negotiated } from './accept.ts'
import { createProtobufView, type MessageOf } from './protobuf/view.ts'
import { type IncludeObject, metadataAlone, type Shape, type ShapeOptions, wholeObjects } from './shape.ts'
import { createTableShape } from './table.ts'
import { createTextView, type View } from './view.ts'

interface ViewsOptions {
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

/** The views of one served resource, made on first use: at most one for each combination of forms. */
export function createViews({ source = asStored, messageOf, ...served }: ViewsOptions) {
  const views = new Map<string, View>()
  /** What was asked for last, which is asked for again as a rule. */
  let latest:
    | {
        readonly form: Negotiated
        readonly pretty: boolean
        readonly includeObject: IncludeObject
        readonly view: View
      }
    | undefined
  return (form: Negotiated, pretty: boolean, includeObject: IncludeObject): View => {
    if (latest?.form === form && latest.pretty === pretty && latest.includeObject === includeObject)
      return latest.view
    const { transform, metaVersion } = form
    const id = `${form.encoding} ${transform} ${metaVersion} ${pretty} ${includeObject}`
    let view = views.get(id)
    if (view === undefined) {
      view = createView({ ...served, source, transform, metaVersion, includeObject }, form.encoding, pretty)
      views.set(id, view)
    }
    latest = { form, pretty, includeObject, view }
    return view
  }

  function createView(options: ShapeOptions, encoding: Encoding, pretty: boolean): View {
    if (encoding !== 'protobuf') return createTextView(createShape(options), encoding, pretty, options.names)
    if (messageOf === undefined) throw new TypeError(`${options.type.plural} has no protobuf form`)
    return createProtobufView(options, messageOf)
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
