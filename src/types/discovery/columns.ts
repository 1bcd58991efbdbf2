/** Columns of endpoint slices. */

import type { JsonObject } from '../../json.ts'
import { ageColumn, nameColumn, plusMore } from '../columns/common.ts'
import { objectsAt, textAt, textsAt } from '../columns/read.ts'
import { type TableColumns, tableOf, text } from '../columns/table.ts'

const shownMax = 3

/** A port without a number has a name, or stands for all. */
function portText({ port, name }: JsonObject): string {
  if (typeof port === 'number') return String(port)
  return typeof name === 'string' ? name : '*'
}

export const discoveryColumns: Readonly<Record<string, TableColumns>> = {
  EndpointSlice: tableOf([
    nameColumn,
    text('AddressType', 'Kind of its addresses.', ({ object }) => textAt(object, 'addressType')),
    text('Ports', 'Ports of each endpoint.', ({ object }) =>
      plusMore(objectsAt(object, 'ports').map(portText), shownMax),
    ),
    text('Endpoints', 'Addresses of all endpoints.', ({ object }) =>
      plusMore(
        objectsAt(object, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses')),
        shownMax,
      ),
    ),
    ageColumn,
  ]),
}
