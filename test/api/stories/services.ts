/** Addresses and ports that services get. Source: Kubernetes API reference, ServiceSpec. */

import { absent, failure, mergePatch, type Pattern, type StoryMaker } from '../story.ts'

const services = '/api/v1/namespaces/{ns}/services'
const port80 = { port: 80, protocol: 'TCP' }
const service = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { selector: { app: 'a' }, ports: [port80], ...spec },
})
const clusterAddress = /^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$/
const nothing: Pattern = { clusterIP: absent, clusterIPs: absent, ipFamilies: absent, ipFamilyPolicy: absent }

function invalidService(name: string, what: string | RegExp): ReturnType<typeof failure> {
  const head = `Service "${name}" is invalid: `
  const message = typeof what === 'string' ? `${head}${what}` : new RegExp(`^${head}${what.source}`)
  return failure(422, 'Invalid', message)
}

export const serviceStories: StoryMaker = () => [
  {
    name: 'a service gets an address, keeps it through updates, and frees it when it goes',
    steps: [
      {
        send: `POST ${services}`,
        body: service('a'),
        status: 201,
        json: {
          metadata: { managedFields: [{ fieldsV1: { 'f:spec': { 'f:clusterIP': absent } } }] },
          spec: { clusterIP: clusterAddress, ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
        },
        save: { ip: 'spec.clusterIP' },
      },
      {
        send: `GET ${services}/a`,
        status: 200,
        json: { spec: { clusterIP: '{ip}', clusterIPs: ['{ip}'] } },
      },
      {
        send: `PUT ${services}/a`,
        body: service('a', { ports: [{ ...port80, port: 81 }] }),
        status: 200,
        json: { spec: { clusterIP: '{ip}', clusterIPs: ['{ip}'] } },
      },
      {
        send: `POST ${services}`,
        body: service('b', { clusterIP: '{ip}' }),
        status: 422,
        json: invalidService(
          'b',
          'spec.clusterIPs: Invalid value: []string{"{ip}"}: failed to allocate IP {ip}: provided IP is already allocated',
        ),
      },
      {
        send: `POST ${services}?dryRun=All`,
        body: service('b', { clusterIP: '{ip}' }),
        status: 422,
      },
      { send: `DELETE ${services}/a`, status: 200 },
      {
        send: `POST ${services}`,
        body: service('b', { clusterIP: '{ip}' }),
        status: 201,
        json: { spec: { clusterIPs: ['{ip}'] } },
      },
      {
        send: `PATCH ${services}/b`,
        headers: mergePatch,
        body: { spec: { clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7'] } },
        status: 422,
      },
    ],
  },
  {
    name: 'addresses outside of the range, or of a family that the cluster does not have, are refused',
    steps: [
      {
        send: `POST ${services}`,
        body: service('a', { clusterIP: '192.0.2.1' }),
        status: 422,
        json: invalidService(
          'a',
          'spec.clusterIPs: Invalid value: []string{"192.0.2.1"}: failed to allocate IP 192.0.2.1: the provided IP (192.0.2.1) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
        ),
      },
      {
        send: `POST ${services}`,
        body: service('a', { ipFamilies: ['IPv6'] }),
        status: 422,
        json: invalidService(
          'a',
          'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
        ),
      },
      {
        send: `POST ${services}`,
        body: service('a', { ipFamilyPolicy: 'RequireDualStack' }),
        status: 422,
        json: invalidService(
          'a',
          'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        ),
      },
      {
        send: `POST ${services}`,
        body: service('a', { ipFamilyPolicy: 'PreferDualStack' }),
        status: 201,
        json: { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' } },
      },
    ],
  },
  {
    name: 'headless and external services have no address of their own',
    steps: [
      {
        send: `POST ${services}`,
        body: service('a', { clusterIP: 'None' }),
        status: 201,
        json: { spec: { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'] } },
      },
      {
        send: `POST ${services}`,
        body: service('b', { clusterIP: 'None', selector: null }),
        status: 201,
        json: { spec: { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' } },
      },
      {
        send: `POST ${services}`,
        body: { metadata: { name: 'c' }, spec: { type: 'ExternalName', externalName: 'example.com' } },
        status: 201,
        json: { spec: nothing },
      },
      {
        send: `PATCH ${services}/c`,
        headers: mergePatch,
        body: { spec: { type: 'ClusterIP', externalName: null, ports: [port80] } },
        status: 200,
        json: { spec: { clusterIP: clusterAddress } },
      },
      {
        send: `PATCH ${services}/c`,
        headers: mergePatch,
        body: { spec: { type: 'ExternalName', externalName: 'example.com' } },
        status: 200,
        json: { spec: nothing },
      },
    ],
  },
  {
    name: 'ports of the nodes: picked, shared between protocols, kept, given back',
    steps: [
      {
        send: `POST ${services}`,
        body: service('a', {
          type: 'NodePort',
          ports: [
            { ...port80, name: 't' },
            { name: 'u', port: 80, protocol: 'UDP' },
          ],
        }),
        status: 201,
        save: { first: 'spec.ports.0.nodePort' },
      },
      {
        send: `GET ${services}/a`,
        status: 200,
        text: ['"name":"u","protocol":"UDP","port":80,"targetPort":80,"nodePort":{first}'],
      },
      {
        send: `PUT ${services}/a`,
        body: service('a', { type: 'NodePort', ports: [{ ...port80, name: 't' }] }),
        status: 200,
        text: ['"nodePort":{first}', '"port":80'],
      },
      {
        send: `PATCH ${services}/a`,
        headers: mergePatch,
        body: { spec: { type: 'ClusterIP' } },
        status: 200,
        json: { spec: { ports: [{ nodePort: absent }] } },
      },
      {
        send: `POST ${services}`,
        body: service('b', { type: 'NodePort', ports: [{ ...port80, nodePort: 30007 }] }),
        status: 201,
      },
      {
        send: `POST ${services}`,
        body: service('c', { type: 'NodePort', ports: [{ ...port80, nodePort: 30007 }] }),
        status: 422,
        json: invalidService(
          'c',
          'spec.ports[0].nodePort: Invalid value: 30007: provided port is already allocated',
        ),
      },
      {
        send: `POST ${services}`,
        body: service('c', { type: 'NodePort', ports: [{ ...port80, nodePort: 80 }] }),
        status: 422,
        json: invalidService(
          'c',
          'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
        ),
      },
      { send: `DELETE ${services}/b`, status: 200 },
      {
        send: `POST ${services}`,
        body: service('c', { type: 'NodePort', ports: [{ ...port80, nodePort: 30007 }] }),
        status: 201,
      },
      { send: `DELETE ${services}/c`, status: 200 },
    ],
  },
  {
    name: 'balanced services: node ports unless declined, and a port for health checks',
    steps: [
      {
        send: `POST ${services}`,
        body: service('a', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }),
        status: 201,
        json: { spec: { ports: [{ nodePort: absent }] } },
      },
      {
        send: `POST ${services}`,
        body: service('b', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
        status: 201,
        text: ['"healthCheckNodePort":3', '"nodePort":3'],
      },
    ],
  },
]
