/** The gate that the options ask for. */

import { flowSchemas, priorityLevels } from '../controllers/bootstrap-flows.ts'
import { configurationOf, type FlowObjects } from './configuration.ts'
import { dumpText } from './dump.ts'
import { FairGate } from './fair-gate.ts'
import { createFlowSource, type FlowSourceParts, flowObjectOf } from './flow-source.ts'
import type { Gate } from './gate.ts'
import { createInFlightGate } from './in-flight.ts'
import { type FlowControlOptions, partOf } from './options.ts'
import { createWorkEstimate, type LoadOf } from './work.ts'

/** Until the stored objects are known, and while there are none, those of a new cluster count. */
export function createGate(
  options: FlowControlOptions,
  parts: FlowSourceParts & { readonly loadOf: LoadOf },
): Gate {
  if (!options.priorityAndFairness) return createInFlightGate(options)
  const { names, clock, loadOf } = parts
  const { maxRequestsInflight, maxMutatingRequestsInflight } = options
  const seats = partOf(maxRequestsInflight + maxMutatingRequestsInflight, options)
  const defaults: FlowObjects = {
    schemas: flowSchemas(names).map(flowObjectOf),
    levels: priorityLevels(names).map(flowObjectOf),
  }
  const gate = new FairGate(
    { clock, headers: names.flowHeaders, workOf: createWorkEstimate(loadOf) },
    configurationOf(defaults, defaults, seats),
  )
  const source = createFlowSource(parts, (stored) => {
    const isNew = stored.schemas.length + stored.levels.length === 0
    gate.configure(configurationOf(isNew ? defaults : stored, defaults, seats))
  })
  return {
    admit: (user, info, asked, exchange) => gate.admit(user, info, asked, exchange),
    dump: (name, withDetails) => dumpText(name, gate.levels(), withDetails),
    metricsText: () => gate.metricsText(),
    start: source.start,
    close: source.close,
  }
}
