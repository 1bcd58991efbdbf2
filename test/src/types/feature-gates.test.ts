/** Source: specification, "Deprecation rules", feature gate states. */

import t from 'tap'
import { createNames } from '../../../src/names/names.ts'
import { featureGateText } from '../../../src/observe/feature-metrics.ts'
import {
  checkFeatureGates,
  describeFeatureGates,
  type FeatureGates,
  isGateOpen,
} from '../../../src/types/feature-gates.ts'

const settings = (text: string): FeatureGates =>
  new Map(
    text
      .split(',')
      .filter((item) => item !== '')
      .map((item) => [item.split('=')[0] ?? '', item.endsWith('=true')]),
  )

t.test('what is open', (t) => {
  const rows: readonly (readonly [settings: string, gate: string, open: boolean])[] = [
    ['', 'InPlacePodVerticalScaling', false],
    ['InPlacePodVerticalScaling=true', 'InPlacePodVerticalScaling', true],
    ['AllAlpha=true', 'InPlacePodVerticalScaling', true],
    ['AllAlpha=true,InPlacePodVerticalScaling=false', 'InPlacePodVerticalScaling', false],
    ['AllBeta=true', 'InPlacePodVerticalScaling', false],
    ['', 'SidecarContainers', true],
    ['AllBeta=false', 'SidecarContainers', false],
    ['AllBeta=false,SidecarContainers=true', 'SidecarContainers', true],
    ['AllAlpha=false', 'SidecarContainers', true],
    ['', 'NodeLogQuery', false],
    ['AllBeta=true', 'NodeLogQuery', true],
    ['', 'WatchList', true],
    ['AllAlpha=false', 'WatchList', false],
    ['AllBeta=false,AllAlpha=false', 'ServerSideApply', true],
    ['', 'KMSv1', false],
    ['KMSv1=true', 'KMSv1', true],
    ['', 'NoSuchThing', false],
    ['NoSuchThing=true', 'NoSuchThing', false],
  ]
  for (const [text, gate, open] of rows) t.equal(isGateOpen(settings(text), gate), open, `${text} ${gate}`)
  t.end()
})

t.test('what is refused and warned of', (t) => {
  const rows: readonly (readonly [settings: string, failure: string | undefined, warnings?: string[]])[] = [
    ['', undefined],
    ['AllAlpha=true,AllBeta=false', undefined],
    ['SidecarContainers=false,InPlacePodVerticalScaling=true', undefined],
    ['ServerSideApply=false', 'cannot set feature gate ServerSideApply to false, feature is locked to true'],
    [
      'ServerSideApply=true',
      undefined,
      ['Setting GA feature gate ServerSideApply=true. It will be removed in a future release.'],
    ],
    [
      'ExecProbeTimeout=false',
      undefined,
      ['Setting GA feature gate ExecProbeTimeout=false. It will be removed in a future release.'],
    ],
    [
      'KMSv1=true',
      undefined,
      ['Setting deprecated feature gate KMSv1=true. It will be removed in a future release.'],
    ],
    [
      'SidecarContainer=true',
      'unrecognized feature gate: SidecarContainer (did you mean SidecarContainers?)',
    ],
    ['allalpha=true', 'unrecognized feature gate: allalpha (did you mean AllAlpha?)'],
    ['Bananas=true', 'unrecognized feature gate: Bananas'],
  ]
  for (const [text, failure, warnings = []] of rows) {
    const checked = checkFeatureGates(settings(text))
    t.strictSame(checked.ok ? checked.value : checked.failure, failure ?? warnings, text)
  }
  t.end()
})

t.test('the help names what can be set, not what is locked', (t) => {
  const help = describeFeatureGates()
  t.match(help, /InPlacePodVerticalScaling \(alpha, false\), /)
  t.match(help, /SidecarContainers \(beta, true\), /)
  t.match(help, /KMSv1 \(deprecated, false\), /)
  t.notMatch(help, 'ServerSideApply')
  t.end()
})

t.test('metrics tell what is open, in the words of the dialect', (t) => {
  const text = featureGateText(createNames('kubernetes'), settings('AllAlpha=true,SidecarContainers=false'))
  for (const line of [
    'kubernetes_feature_enabled{name="SidecarContainers",stage="BETA"} 0',
    'kubernetes_feature_enabled{name="InPlacePodVerticalScaling",stage="ALPHA"} 1',
    'kubernetes_feature_enabled{name="ServerSideApply",stage=""} 1',
    'kubernetes_feature_enabled{name="KMSv1",stage="DEPRECATED"} 0',
    'kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 1',
  ])
    t.ok(text.split('\n').includes(line), line)
  t.match(featureGateText(createNames('cluster'), settings('')), /^cluster_feature_enabled\{/m)
  t.end()
})
