/** What a 1.30 server refuses in the sources of volumes, in pods and on their own, and how it says so. */

import type { Refusal } from './validation.ts'

const metadata = { name: 'x' }
const capacity = { storage: '1Gi' }

/** A pod with a volume of this source. */
function inPod(source: object, causes: readonly string[]): Refusal {
  const spec = {
    serviceAccountName: 'robot',
    containers: [{ name: 'c', image: 'nginx' }],
    volumes: [{ name: 'v', ...source }],
  }
  return [
    { apiVersion: 'v1', kind: 'Pod', metadata, spec },
    {},
    causes.map((cause) => `spec.volumes[0].${cause}`),
  ]
}

/** A persistent volume of this source. */
function alone(source: object, causes: readonly string[]): Refusal {
  const spec = { capacity, accessModes: ['ReadWriteOnce'], ...source }
  return [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata, spec },
    {},
    causes.map((cause) => `spec.${cause}`),
  ]
}

const iqn = 'iqn.2001-04.com.example:disk'
const iscsi = { targetPortal: '1.2.3.4', iqn }
const mode = 'must be a number between 0 and 0777 (octal), both inclusive'
const subdomain = 'a lowercase RFC 1123 subdomain must consist of'
const registry = 'must be a host:port pair or multiple pairs separated by commas'
const simultaneously = 'fieldRef and resourceFieldRef can not be specified simultaneously'
const field = { fieldPath: 'metadata.name' }
const resource = { containerName: 'c', resource: 'limits.cpu' }
const secretRef = { name: 's', namespace: 'n' }
const csi = { driver: 'd.e', volumeHandle: 'h' }

export const refusedVolumes: readonly Refusal[] = [
  // Of both.
  ...[inPod, alone].flatMap((made) => [
    made({ nfs: {} }, [
      'nfs.server: Required value',
      'nfs.path: Required value',
      'nfs.path: Invalid value: "": must be an absolute path',
    ]),
    made({ gcePersistentDisk: { partition: 256 } }, [
      'persistentDisk.pdName: Required value',
      'persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
    ]),
    made({ awsElasticBlockStore: { volumeID: 'v', partition: -1 } }, [
      'awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive',
    ]),
    made({ azureDisk: { diskName: 'd', diskURI: 'x', cachingMode: '' } }, [
      'azureDisk.cachingMode: Unsupported value: "": supported values: "None", "ReadOnly", "ReadWrite"',
      'azureDisk.diskURI: Unsupported value: "x": supported values: "https://{account-name}.blob.core.windows.net/',
    ]),
    made({ azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed' } }, [
      'azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/',
    ]),
    made({ cephfs: { monitors: [] } }, ['cephfs.monitors: Required value']),
    made({ rbd: { image: 'i' } }, ['rbd.monitors: Required value']),
    made({ csi: { ...csi, driver: '' } }, [
      'csi.driver: Required value',
      `csi.driver: Invalid value: "": ${subdomain}`,
    ]),
    made({ fc: { targetWWNs: ['w'], wwids: ['w'] } }, [
      'fc.targetWWNs: Invalid value: []string{"w"}: targetWWNs and wwids can not be specified simultaneously',
      'fc.lun: Required value: lun is required if targetWWNs is specified',
    ]),
    made({ fc: { lun: 1 } }, [
      'fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both',
    ]),
    made({ fc: { targetWWNs: ['w'], lun: 256 } }, [
      'fc.lun: Invalid value: 256: must be between 0 and 255, inclusive',
    ]),
    made({ flocker: {} }, ['flocker: Required value: one of datasetName and datasetUUID is required']),
    made({ flocker: { datasetName: 'a/b', datasetUUID: 'u' } }, [
      'flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
      'flocker.datasetName: Invalid value: "a/b": must not contain \'/\'',
    ]),
    made({ iscsi: { ...iscsi, lun: 256, chapAuthSession: true } }, [
      'iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'iscsi.secretRef: Required value',
    ]),
    made({ iscsi: { ...iscsi, initiatorName: 'iqn.x' } }, [
      'iscsi.initiatorname: Invalid value: "iqn.x": must be valid format',
    ]),
    made({ quobyte: { registry: 'r', volume: '', tenant: 't'.repeat(65) } }, [
      `quobyte.registry: Invalid value: "r": ${registry}`,
      'quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters',
      'quobyte.volume: Required value',
    ]),
    made({ scaleIO: { gateway: 'g', secretRef: { name: 's' } } }, [
      'scaleIO.system: Required value',
      'scaleIO.volumeName: Required value',
    ]),
    made({ storageos: { volumeName: 'A', volumeNamespace: 'b.c' } }, [
      'storageos.volumeName: Invalid value: "A": a lowercase RFC 1123 label must consist of',
      'storageos.volumeNamespace: Invalid value: "b.c": a lowercase RFC 1123 label must consist of',
    ]),
    // Only the first of two is looked at.
    made({ hostPath: { path: '/x' }, nfs: {} }, ['nfs: Forbidden: may not specify more than 1 volume type']),
  ]),

  // In pods.
  inPod({ iscsi: { ...iscsi, iqn: 'disk' } }, [
    'iscsi.iqn: Invalid value: "disk": must be valid format starting with iqn, eui, or naa',
  ]),
  inPod({ csi: { driver: 'd', nodePublishSecretRef: {} } }, [
    'csi.nodePublishSecretRef .name: Required value',
  ]),
  inPod({ csi: { driver: 'd', nodePublishSecretRef: { name: 'A' } } }, [
    `csi.name: Invalid value: "A": ${subdomain}`,
  ]),
  inPod({ cinder: { volumeID: 'v', secretRef: {} } }, ['cinder.secretRef.name: Required value']),
  inPod({ iscsi: { ...iscsi, targetPortal: 'p'.repeat(63), initiatorName: iqn } }, [
    'name: Invalid value: "v": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters',
  ]),
  inPod({ configMap: { name: 'c', items: [{ key: '', path: '..' }] } }, [
    'configMap.items[0].key: Required value',
    'configMap.items[0].path: Invalid value: "..": must not contain \'..\'',
    'configMap.items[0].path: Invalid value: "..": must not start with \'..\'',
  ]),
  inPod({ downwardAPI: { items: [{ path: '/l', mode: 512 }] } }, [
    'downwardAPI.path: Invalid value: "/l": must be a relative path',
    'downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
    `downwardAPI.mode: Invalid value: 512: ${mode}`,
  ]),
  inPod({ downwardAPI: { items: [{ path: 'l', fieldRef: field, resourceFieldRef: resource }] } }, [
    `downwardAPI: Invalid value: "resource": ${simultaneously}`,
  ]),
  inPod({ downwardAPI: { items: [{ path: 'l', fieldRef: { ...field, apiVersion: 'v2' } }] } }, [
    'downwardAPI.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
  ]),
  inPod({ downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: "spec['x']" } }] } }, [
    "downwardAPI.fieldRef.fieldPath: Invalid value: \"spec['x']\": error converting fieldPath: field label does not support subscript: spec['x']",
  ]),
  inPod({ downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'status.podIP' } }] } }, [
    'downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: "metadata.annotations", "metadata.labels"',
  ]),
  inPod({ downwardAPI: { items: [{ path: 'l', resourceFieldRef: { resource: 'limits.cpu' } }] } }, [
    'downwardAPI.resourceFieldRef.containerName: Required value',
  ]),
  inPod({ downwardAPI: { items: [{ path: 'l', resourceFieldRef: { ...resource, divisor: '1k' } }] } }, [
    'downwardAPI.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
  ]),
  inPod({ projected: { sources: [{ serviceAccountToken: { path: '' } }] } }, [
    'projected.path: Required value',
  ]),
  inPod(
    {
      projected: {
        sources: [
          { configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
          { secret: { name: 's', items: [{ key: 'k', path: 'p' }] } },
          { serviceAccountToken: { path: 'p' } },
        ],
      },
    },
    ['projected: Invalid value: "s": conflicting duplicate paths'],
  ),

  // Persistent volumes.
  alone({ iscsi: { ...iscsi, iqn: 'disk' } }, ['iscsi.iqn: Invalid value: "disk": must be valid format']),
  alone(
    { csi: { driver: 'd.e', nodePublishSecretRef: { name: 'A' }, controllerExpandSecretRef: secretRef } },
    [
      'csi.volumeHandle: Required value',
      `csi.nodePublishSecretRef.name: Invalid value: "A": ${subdomain}`,
      'csi.nodePublishSecretRef.namespace: Required value',
    ],
  ),
  alone({ cinder: { volumeID: 'v', secretRef: { name: 's' } } }, [
    'cinder.secretRef.namespace: Required value',
  ]),
  alone({ iscsi: { ...iscsi, secretRef: {} } }, ['iscsi.secretRef.name: Required value']),
  alone({ azureFile: { secretName: 's', shareName: 'x', secretNamespace: '' } }, [
    'azureFile.secretNamespace: Required value',
  ]),
  alone({ glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } }, [
    'glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
  ]),
  alone({ hostPath: { path: '/x' }, capacity: { storage: '-1' } }, [
    'capacity[storage]: Invalid value: -1: must be a valid resource quantity',
    'capacity[storage]: Invalid value: "-1": must be greater than zero',
  ]),
  alone({ hostPath: { path: '/x' }, accessModes: [''] }, [
    'accessModes: Unsupported value: "": supported values: "ReadOnlyMany"',
  ]),
]
