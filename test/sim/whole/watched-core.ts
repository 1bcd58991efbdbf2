/** The real core, watched at its door: what goes in at its start and what comes out is told to the safety checks. */
import { createRaft, type Raft } from '../../../store/raft/raft.ts'
import type { Ready } from '../../../store/raft/ready.ts'
import type { LogIndex } from '../../../store/raft/types.ts'
import type { Safety } from '../safety.ts'
import type { Truth } from './truth.ts'

type CoreOptions = Parameters<typeof createRaft>[0]

interface Watching {
  readonly safety: Safety
  readonly truth: Truth
  readonly changed: Pick<CoreOptions, 'rules' | 'limits'>
  /** A check was broken. */
  failed(failure: unknown): void
}

export function createWatchedCore(coreOptions: CoreOptions, watching: Watching): Raft {
  const { safety, truth } = watching
  const { id } = coreOptions
  const observed = (act: () => void): void => {
    try {
      act()
    } catch (failure) {
      watching.failed(failure)
    }
  }
  const restored = (index: LogIndex): void =>
    safety.restored(id, { index, kv: { hash: truth.revisionAt(index) } })

  observed(() => tellStart(coreOptions, safety))
  observed(() => restored(coreOptions.storage.initialState().applied))
  const core = createRaft({ ...coreOptions, ...watching.changed })
  let out: Ready | undefined
  return {
    ...core,
    ready() {
      const ready = core.ready()
      out = ready
      if (ready !== undefined) observed(() => safety.ready(id, ready))
      return ready
    },
    advance() {
      core.advance()
      if (out === undefined) return
      const { committed, snapshot } = out
      out = undefined
      observed(() => {
        if (snapshot !== undefined) restored(snapshot.index)
        for (const entry of committed) {
          if (entry.index === truth.index + 1) truth.take(entry)
          safety.applied(id, entry, truth.revisionAt(entry.index), undefined)
        }
      })
    },
  }
}

/** What a member has on its disk when it starts. */
function tellStart({ id, storage }: CoreOptions, safety: Safety): void {
  const { hardState } = storage.initialState()
  const first = storage.firstIndex()
  const last = storage.lastIndex()
  const before = (first - 1) as LogIndex
  const entries =
    last >= first ? storage.entries(first, (last + 1) as LogIndex, Number.POSITIVE_INFINITY) : []
  const term = storage.term(before)
  if (term === undefined) throw new Error('a log without a beginning')
  safety.started(id, { index: before, term }, entries, hardState)
}
