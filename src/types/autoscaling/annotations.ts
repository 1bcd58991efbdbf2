/** Annotations in which autoscaling/v1 carries what it has no fields for, as JSON. */

import type { Names } from '../../names/names.ts'

export interface AnnotationNames {
  readonly metrics: string
  readonly currentMetrics: string
  readonly conditions: string
  readonly behavior: string
}

export function annotationNames({ expand }: Names): AnnotationNames {
  return {
    metrics: expand('autoscaling.alpha.{labels}/metrics'),
    currentMetrics: expand('autoscaling.alpha.{labels}/current-metrics'),
    conditions: expand('autoscaling.alpha.{labels}/conditions'),
    behavior: expand('autoscaling.alpha.{labels}/behavior'),
  }
}
