/** A definition in a group of the community, as its clients see it. */

import t from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { changed, type Json } from '../../types/validation.ts'
import { clientOf, definitionsPath } from '../serving/crontabs.ts'
import { widgets } from './widgets.ts'

const annotation = 'api-approved.kubernetes.io'
const name = 'widgets.example.k8s.io'

t.test('its condition follows its annotation', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  const body = changed(widgets, { 'spec.group': 'example.k8s.io', 'metadata.name': name })
  t.match(await client.post(definitionsPath, body), { status: 422 }, 'it must have one')
  body.metadata.annotations = { [annotation]: 'unapproved, a test' }
  t.match(await client.post(definitionsPath, body), { status: 201 })
  const conditions = async (): Promise<Json[]> =>
    (await client.get(`${definitionsPath}/${name}`)).body.status.conditions ?? []
  const says = async (reason: string): Promise<boolean> =>
    (await conditions()).some((condition) => condition.reason === reason)
  await eventually('the condition', () => says('UnapprovedAnnotation'))
  t.strictSame(
    (await conditions()).map(({ type, status }) => `${type}=${status}`),
    ['NamesAccepted=True', 'Established=True', 'KubernetesAPIApprovalPolicyConformant=False'],
  )
  const annotations = { [annotation]: 'https://example.com/pull/1' }
  t.match(await client.patch(`${definitionsPath}/${name}`, { metadata: { annotations } }), { status: 200 })
  await eventually('the approval', () => says('ApprovedAnnotation'))
})
