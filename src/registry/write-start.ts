import { ok } from '../../store/contract.ts'
import type { Rendering } from '../codec/rendering.ts'
import type { ApiRequest, Checked, Machinery } from './machinery.ts'
import { requestedRendering, type Shown } from './respond.ts'
import { type WriteOptions, type WriteOptionsKind, writeOptions } from './write-options.ts'

/** What every write of a client begins with. */
interface WriteStart {
  /** The form of the answer. */
  readonly rendering: Rendering
  readonly options: WriteOptions
}

/** The failure is the answer to the client; `kind` and `isApply` as for {@link writeOptions}. */
export function startWrite(
  route: Shown,
  request: ApiRequest,
  { names }: Pick<Machinery, 'names'>,
  kind: WriteOptionsKind,
  isApply = false,
): Checked<WriteStart> {
  const rendering = requestedRendering(route, request)
  if (!rendering.ok) return rendering
  const options = writeOptions(request.query, request.exchange.query, kind, names.metaGroup, isApply)
  return options.ok ? ok({ rendering: rendering.value, options: options.value }) : options
}
