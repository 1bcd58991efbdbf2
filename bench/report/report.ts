/**
 * What a run of the bench leaves behind: a JSON file, from which table, plots and comparison are made.
 */

import { readFileSync } from 'node:fs'
import { isJsonObject } from '../../src/json.ts'
import type { Summary } from '../measure/sample.ts'
import type { Goal } from '../scenarios/scenario.ts'

export interface Report {
  readonly format: 1
  /** RFC 3339, when the run began. */
  readonly at: string
  readonly machine: { readonly cpus: number; readonly cpuModel: string; readonly node: string }
  readonly settings: Readonly<Record<string, unknown>>
  /** What was measured, as people call it; absent = this project's server. */
  readonly server?: string
  readonly rows: readonly Row[]
}

/** One scenario on one target. */
export interface Row {
  readonly scenario: string
  readonly title: string
  readonly unit: string
  readonly target: string
  readonly goal?: Goal
  /** Absent when it was skipped. */
  readonly summary?: Summary
  readonly skipped?: string
  /** Why it could not be measured. */
  readonly failed?: string
}

/** Throws, naming the file, when it is no report. */
export function readReport(file: string): Report {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isJsonObject(value) || value['format'] !== 1 || !Array.isArray(value['rows'])) {
    throw new Error(`${file} is no report of this bench`)
  }
  return value as unknown as Report // written by this bench: the format number says so
}

export function serverName(report: Report): string {
  return report.server ?? 'this server'
}

export function rowOf(report: Report, scenario: string, target: string): Row | undefined {
  return report.rows.find((row) => row.scenario === scenario && row.target === target)
}
