/** Versions on their way out. Source: specification, "Versioning", "Removed API versions by release". */

import { absent, failure, type Step, type StoryMaker } from '../story.ts'

const gone = 'the server could not find the requested resource'

export const versionStories: StoryMaker = ({ groupDomain }) => {
  const flowcontrol = `flowcontrol.apiserver.${groupDomain}`
  const warning = (kind: string): string =>
    `299 - "${flowcontrol}/v1beta3 ${kind} is deprecated in v1.29+, unavailable in v1.32+; use ${flowcontrol}/v1 ${kind}"`
  const removals: readonly (readonly [path: string, what: string])[] = [
    [
      `${flowcontrol}/v1beta2/flowschemas`,
      `flowschemas of ${flowcontrol}/v1beta2 are no longer served since v1.29; use ${flowcontrol}/v1`,
    ],
    [
      'autoscaling/v2beta2/namespaces/{ns}/horizontalpodautoscalers',
      'horizontalpodautoscalers of autoscaling/v2beta2 are no longer served since v1.26; use autoscaling/v2',
    ],
    ['batch/v1beta1/cronjobs', 'cronjobs of batch/v1beta1 are no longer served since v1.25; use batch/v1'],
    [
      'policy/v1beta1/podsecuritypolicies',
      'podsecuritypolicies of policy/v1beta1 are no longer served since v1.25; nothing took their place',
    ],
    [
      'extensions/v1beta1/namespaces/{ns}/ingresses/a',
      `ingresses of extensions/v1beta1 are no longer served since v1.22; use networking.${groupDomain}/v1`,
    ],
    [
      'extensions/v1beta1/deployments',
      'deployments of extensions/v1beta1 are no longer served since v1.16; use apps/v1',
    ],
    [
      'extensions/v1beta1',
      `extensions/v1beta1 is no longer served since v1.22; use networking.${groupDomain}/v1, apps/v1`,
    ],
  ]
  return [
    {
      name: 'whoever uses a deprecated version is warned, whatever the verb',
      steps: [
        ...[
          ['flowschemas', 'FlowSchema'],
          ['prioritylevelconfigurations', 'PriorityLevelConfiguration'],
        ].map(
          ([path = '', kind = '']): Step => ({
            send: `GET /apis/${flowcontrol}/v1beta3/${path}`,
            status: 200,
            answerHeaders: { warning: warning(kind) },
          }),
        ),
        {
          send: `GET /apis/${flowcontrol}/v1beta3/flowschemas/nobody`,
          status: 404,
          answerHeaders: { warning: warning('FlowSchema') },
        },
        {
          send: `GET /apis/${flowcontrol}/v1/flowschemas`,
          status: 200,
          answerHeaders: { warning: absent },
        },
        { send: 'GET /api/v1/pods', status: 200, answerHeaders: { warning: absent } },
        {
          send: 'GET /metrics',
          status: 200,
          text: [
            `apiserver_requested_deprecated_apis{group="${flowcontrol}",version="v1beta3",resource="flowschemas",subresource="",removed_release="1.32"} 1`,
          ],
        },
      ],
    },
    {
      name: 'what is no longer served says what to use instead',
      steps: [
        ...removals.map(
          ([path, what]): Step => ({
            send: `GET /apis/${path}`,
            status: 404,
            json: failure(404, 'NotFound', `${gone}: ${what}`),
          }),
        ),
        ...['extensions/v1beta1/nothings', 'batch/v0/cronjobs'].map(
          (path): Step => ({
            send: `GET /apis/${path}`,
            status: 404,
            json: failure(404, 'NotFound', gone),
          }),
        ),
      ],
    },
  ]
}
