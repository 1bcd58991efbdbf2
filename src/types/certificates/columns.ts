/** Columns of certificate requests and trust bundles. */

import { ageColumn, nameColumn } from '../columns/common.ts'
import { humanDuration } from '../columns/duration.ts'
import { conditionOf, objectsAt, textAt, textOr } from '../columns/read.ts'
import { type Column, type Row, type TableColumns, tableOf, text } from '../columns/table.ts'

const signerName: Column = text('SignerName', 'Who signs.', ({ spec }) =>
  textOr(textAt(spec, 'signerName'), '<none>'),
)

/** The decision, then what came of it. */
function condition({ status }: Row): string {
  const conditions = objectsAt(status, 'conditions')
  const has = (type: string) => conditionOf(conditions, type) !== undefined
  const words = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending']
  if (has('Failed')) words.push('Failed')
  if (textAt(status, 'certificate') !== '') words.push('Issued')
  return words.join(',')
}

export const certificatesColumns: Readonly<Record<string, TableColumns>> = {
  CertificateSigningRequest: tableOf([
    nameColumn,
    ageColumn,
    signerName,
    text('Requestor', 'Who asks.', ({ spec }) => textAt(spec, 'username')),
    text('RequestedDuration', 'How long the certificate should be valid.', ({ spec }) =>
      typeof spec['expirationSeconds'] === 'number'
        ? humanDuration(spec['expirationSeconds'] * 1000)
        : '<none>',
    ),
    text('Condition', 'Whether it was approved, and what came of it.', condition),
  ]),
  ClusterTrustBundle: tableOf([nameColumn, signerName]),
}
