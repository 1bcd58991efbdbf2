/** What `/metrics` shows, counted: how many metrics there are of each level, and how many are deprecated or hidden. */

import { header, labelText, sample } from './exposition.ts'
import { deprecatedMetrics, stabilityOf, versionOfDeprecation } from './stability.ts'

/**
 * @param text of everything that is shown
 * @param isHidden tells of a deprecated metric that it is not shown
 */
export function registeredText(text: string, isHidden: (name: string) => boolean): string {
  const shown = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name)
  const hidden = deprecatedMetrics().filter(isHidden)
  return (
    family('registered_metrics_total', 'Metrics that there are.', [...shown, ...hidden]) +
    count('hidden_metrics_total', 'Metrics that are deprecated and not shown.', hidden.length) +
    count('disabled_metrics_total', 'Metrics that are switched off.', 0)
  )
}

function family(name: string, help: string, metrics: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const metric of metrics) {
    const labels = labelText({
      deprecated_version: versionOfDeprecation(metric),
      stability_level: stabilityOf(metric),
    })
    counts.set(labels, (counts.get(labels) ?? 0) + 1)
  }
  let text = header(name, help, 'counter')
  for (const [labels, count] of counts) text += sample(name, labels, count)
  return text
}

function count(name: string, help: string, value: number): string {
  return header(name, help, 'counter') + sample(name, '', value)
}
