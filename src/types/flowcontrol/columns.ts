/** Columns of flow schemas and priority levels. Flow schemas are listed in the order in which they are tried. */

import { ageColumn, nameColumn } from '../columns/common.ts'
import { conditionOf, numberAt, objectsAt, textAt, valueAt, valueOr } from '../columns/read.ts'
import { type Column, type Row, rowOf, type TableColumns, tableOf, text } from '../columns/table.ts'

function precedence({ spec }: Row): number {
  return numberAt(spec, 'matchingPrecedence')
}

function missingLevel({ status }: Row): string {
  const dangling = conditionOf(objectsAt(status, 'conditions'), 'Dangling')
  return dangling === undefined ? '?' : textAt(dangling, 'status')
}

/** A setting of the queues of a limited level. */
function limited(name: string, description: string, ...path: readonly string[]): Column {
  return text(name, description, ({ spec }) => valueOr(valueAt(spec, 'limited', ...path), '<none>'))
}

export const flowcontrolColumns: Readonly<Record<string, TableColumns>> = {
  FlowSchema: {
    ...tableOf([
      nameColumn,
      text('PriorityLevel', 'Level of the requests that match.', ({ spec }) =>
        textAt(spec, 'priorityLevelConfiguration', 'name'),
      ),
      text('MatchingPrecedence', 'Its place in the order of trying: lowest first.', precedence),
      text('DistinguisherMethod', 'How requests are told apart into flows.', ({ spec }) =>
        valueOr(valueAt(spec, 'distinguisherMethod', 'type'), '<none>'),
      ),
      ageColumn,
      text('MissingPL', 'Whether its priority level does not exist.', missingLevel),
    ]),
    compare(a, b) {
      const [nameA, nameB] = [a.metadata.name ?? '', b.metadata.name ?? '']
      return precedence(rowOf(a, 0)) - precedence(rowOf(b, 0)) || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0)
    },
  },
  PriorityLevelConfiguration: tableOf([
    nameColumn,
    text('Type', 'Whether its requests are limited.', ({ spec }) => textAt(spec, 'type')),
    limited('NominalConcurrencyShares', 'Its share of all seats.', 'nominalConcurrencyShares'),
    limited('Queues', 'Number of its queues.', 'limitResponse', 'queuing', 'queues'),
    limited('HandSize', 'Queues that a flow may use.', 'limitResponse', 'queuing', 'handSize'),
    limited(
      'QueueLengthLimit',
      'Requests that may wait in a queue.',
      'limitResponse',
      'queuing',
      'queueLengthLimit',
    ),
    ageColumn,
  ]),
}
