/**
 * The configurations that this log may still fall back to. A configuration is in force as soon as its entry is in the
 * log, committed or not (thesis 4.1), and no longer when the entry is replaced.
 */
import { decodeConfiguration, isVoter } from './configuration.ts'
import { invariant } from './invariant.ts'
import type { Configuration, Entry, LogIndex, MemberId, Snapshot } from './types.ts'

export interface PlacedConfiguration {
  /** The entry's index; the snapshot's or the applied one where the entry itself is unknown. */
  readonly index: LogIndex
  readonly configuration: Configuration
}

export interface ConfigurationHistory {
  /** The one in force: the latest in the log. */
  latest(): PlacedConfiguration
  /**
   * A voter now, or in a configuration that is not replaced for certain: the one after it is not known to be committed.
   */
  isVoterYet(id: MemberId): boolean
  /** Takes new entries of the log, which replace everything from the first of them on. True: the latest changed. */
  replaceFrom(entries: readonly Entry[]): boolean
  /** Nothing at or below `committed` can be replaced any more: forgets all but the last of those. */
  settle(committed: LogIndex): void
  reset(snapshot: Snapshot): void
}

export function createConfigurationHistory(start: PlacedConfiguration): ConfigurationHistory {
  let history: PlacedConfiguration[] = [start]
  const latest = () => {
    const last = history.at(-1)
    invariant(last !== undefined, 'no configuration left')
    return last
  }
  return {
    latest,
    isVoterYet: (id) => history.some(({ configuration }) => isVoter(configuration, id)),
    replaceFrom(entries) {
      const [first] = entries
      if (first === undefined) return false
      const before = latest()
      history = history.filter((placed, i) => i === 0 || placed.index < first.index)
      for (const { type, index, data } of entries) {
        if (type === 'configuration') {
          history.push({ index, configuration: decodeConfiguration(data).configuration })
        }
      }
      return latest() !== before
    },
    settle(committed) {
      while (history.length > 1 && (history[1]?.index ?? Number.POSITIVE_INFINITY) <= committed)
        history.shift()
    },
    reset({ index, configuration }) {
      history = [{ index, configuration }]
    },
  }
}
