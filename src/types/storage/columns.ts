/** Columns of storage drivers, classes and attachments. */

import type { JsonValue } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { ageColumn, countCell, nameColumn, nameColumnFrom } from '../columns/common.ts'
import { objectsAt, textAt, textOr, textsAt, valueAt, valueOr } from '../columns/read.ts'
import {
  boolean,
  type Column,
  integer,
  type Row,
  type TableColumns,
  tableOf,
  text,
} from '../columns/table.ts'

/** The name, and whether it is the class of those who name none. */
function defaultMarked(annotations: readonly string[]): Column {
  return nameColumnFrom(({ metadata }) => {
    const name = textAt(metadata, 'name')
    const isDefault = annotations.some((one) => valueAt(metadata, 'annotations', one) === 'true')
    return isDefault ? `${name} (default)` : name
  })
}

function driverFlag(name: string, description: string, member: string, absent: boolean): Column {
  return boolean(name, description, ({ spec }) => valueOr(spec[member], absent))
}

function tokenAudiences({ spec }: Row): JsonValue {
  const requests = objectsAt(spec, 'tokenRequests')
  if (requests.length === 0) return '<unset>'
  return requests.map((request) => textAt(request, 'audience')).join(',')
}

export function storageColumns(names: Names): Readonly<Record<string, TableColumns>> {
  return {
    CSIDriver: tableOf([
      nameColumn,
      driverFlag(
        'AttachRequired',
        'Whether volumes are attached before they are mounted.',
        'attachRequired',
        true,
      ),
      driverFlag('PodInfoOnMount', 'Whether it is told which pod mounts.', 'podInfoOnMount', false),
      driverFlag('StorageCapacity', 'Whether it tells how much room there is.', 'storageCapacity', false),
      text('TokenRequests', 'Audiences of the tokens that it is given.', tokenAudiences),
      driverFlag(
        'RequiresRepublish',
        'Whether it wants to be called again and again.',
        'requiresRepublish',
        false,
      ),
      text('Modes', 'Kinds of volumes that it serves.', ({ spec }) =>
        textOr(textsAt(spec, 'volumeLifecycleModes').join(','), '<none>'),
      ),
      ageColumn,
    ]),
    CSINode: tableOf([
      nameColumn,
      integer('Drivers', 'Number of drivers on the node.', countCell('spec', 'drivers')),
      ageColumn,
    ]),
    StorageClass: tableOf([
      defaultMarked([
        names.expand('storageclass.{labels}/is-default-class'),
        names.expand('storageclass.beta.{labels}/is-default-class'),
      ]),
      text('Provisioner', 'Who makes its volumes.', ({ object }) => textAt(object, 'provisioner')),
      text('ReclaimPolicy', 'What becomes of a volume when its claim goes.', ({ object }) =>
        valueOr(object['reclaimPolicy'], 'Delete'),
      ),
      text('VolumeBindingMode', 'When a claim gets its volume.', ({ object }) =>
        valueOr(object['volumeBindingMode'], 'Immediate'),
      ),
      text('AllowVolumeExpansion', 'Whether its volumes may grow.', ({ object }) =>
        valueOr(object['allowVolumeExpansion'], false),
      ),
      ageColumn,
    ]),
    VolumeAttachment: tableOf([
      nameColumn,
      { ...text('Attacher', 'Who attaches.', ({ spec }) => textAt(spec, 'attacher')), format: 'name' },
      text('PV', 'Volume that is attached.', ({ spec }) => textAt(spec, 'source', 'persistentVolumeName')),
      text('Node', 'Node that it is attached to.', ({ spec }) => textAt(spec, 'nodeName')),
      boolean('Attached', 'Whether that is done.', ({ status }) => valueOr(status['attached'], false)),
      ageColumn,
    ]),
    VolumeAttributesClass: tableOf([
      defaultMarked([names.expand('volumeattributesclass.alpha.{labels}/is-default-class')]),
      text('DriverName', 'Who keeps its promises.', ({ object }) => textAt(object, 'driverName')),
      ageColumn,
    ]),
  }
}
