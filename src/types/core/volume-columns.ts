/** Columns of persistent volumes and of claims to them. */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { accessModesText, ageColumn, nameColumn } from '../columns/common.ts'
import { quantityAt, textAt, textsAt, valueAt, valueOr } from '../columns/read.ts'
import { type Row, type TableColumns, tableOf, text, wide } from '../columns/table.ts'

function phase({ metadata, status }: Row): string {
  return metadata['deletionTimestamp'] === undefined ? textAt(status, 'phase') : 'Terminating'
}

/** An annotation of old says the class, even an empty one, before the field does. */
function storageClass(names: Names): (row: Row) => string {
  const annotation = names.expand('volume.beta.{labels}/storage-class')
  return ({ metadata, spec }) => {
    const old = valueAt(metadata, 'annotations', annotation)
    return typeof old === 'string' ? old : textAt(spec, 'storageClassName')
  }
}

const attributesClass = text(
  'VolumeAttributesClass',
  'Class of attributes that may change while the volume is in use.',
  ({ spec }) => valueOr(spec['volumeAttributesClassName'], '<unset>'),
)

const volumeMode = wide(
  text('VolumeMode', 'Whether it is used as a file system or as a raw device.', ({ spec }) =>
    valueOr(spec['volumeMode'], '<unset>'),
  ),
)

function isBound(spec: JsonObject): boolean {
  return textAt(spec, 'volumeName') !== ''
}

export function persistentVolumeClaimColumns(names: Names): TableColumns {
  return tableOf([
    nameColumn,
    text('Status', 'Whether a volume has been found for it.', phase),
    text('Volume', 'Volume that it is bound to.', ({ spec }) => textAt(spec, 'volumeName')),
    text('Capacity', 'Size of that volume.', ({ spec, status }) =>
      isBound(spec) ? quantityAt(status, 'capacity', 'storage') : '',
    ),
    text('Access Modes', 'How that volume can be mounted.', ({ spec, status }) =>
      isBound(spec) ? accessModesText(textsAt(status, 'accessModes')) : '',
    ),
    text('StorageClass', 'Class of storage that it asks for.', storageClass(names)),
    attributesClass,
    ageColumn,
    volumeMode,
  ])
}

export function persistentVolumeColumns(names: Names): TableColumns {
  return tableOf([
    nameColumn,
    text('Capacity', 'Size of the volume.', ({ spec }) => quantityAt(spec, 'capacity', 'storage')),
    text('Access Modes', 'How the volume can be mounted.', ({ spec }) =>
      accessModesText(textsAt(spec, 'accessModes')),
    ),
    text('Reclaim Policy', 'What becomes of it when its claim goes.', ({ spec }) =>
      textAt(spec, 'persistentVolumeReclaimPolicy'),
    ),
    text('Status', 'Whether it is free, bound, or let go.', phase),
    text('Claim', 'Claim that it is bound to, with its namespace.', ({ spec }) =>
      spec['claimRef'] === undefined
        ? ''
        : `${textAt(spec, 'claimRef', 'namespace')}/${textAt(spec, 'claimRef', 'name')}`,
    ),
    text('StorageClass', 'Class of storage that it belongs to.', storageClass(names)),
    attributesClass,
    text('Reason', 'Why it failed, where it did.', ({ status }) => textAt(status, 'reason')),
    ageColumn,
    volumeMode,
  ])
}
