import { ok } from '../../store/contract.ts'
import type { View } from '../codec/view.ts'
import type { ApiRequest, Checked, Machinery } from './machinery.ts'
import { requestedView, type Shown } from './respond.ts'
import { type WriteOptions, type WriteOptionsKind, writeOptions } from './write-options.ts'

/** What every write of a client begins with. */
interface WriteStart {
  /** The form of the answer. */
  readonly view: View
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
  const view = requestedView(route, request)
  if (!view.ok) return view
  const options = writeOptions(request.query, request.exchange.query, kind, names.metaGroup, isApply)
  return options.ok ? ok({ view: view.value, options: options.value }) : options
}
