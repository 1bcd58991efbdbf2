/**
 * Stack traces that name the sources, in processes of our own. `--enable-source-maps` would read all maps at the start,
 * a tenth of what a start costs; here the map of a file is read with the first trace that leads through it.
 */

import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

type Maps = Map<string, SourceMap | undefined>

/** For the whole process: not for one that belongs to others. Paths are relative to the working directory. */
export function nameSourcesInTraces(): void {
  const maps: Maps = new Map()
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${described(frame, maps)}`)].join('\n')
}

function headOf(error: Error): string {
  try {
    return String(error)
  } catch {
    return 'Error' // its name or message cannot be read
  }
}

function described(frame: NodeJS.CallSite, maps: Maps): string {
  const text = frame.toString()
  const url = frame.getFileName()
  const line = frame.getLineNumber()
  const column = frame.getColumnNumber()
  if (!url?.startsWith('file:') || line === null || column === null) return text
  const compiled = fileURLToPath(url)
  const origin = mapOf(compiled, maps)?.findOrigin(line, column)
  if (origin === undefined || !('fileName' in origin)) return text
  const source = relative('', join(dirname(compiled), origin.fileName))
  return text.replace(`${url}:${line}:${column}`, `${source}:${origin.lineNumber}:${origin.columnNumber}`)
}

function mapOf(compiled: string, maps: Maps): SourceMap | undefined {
  if (!maps.has(compiled)) maps.set(compiled, readMap(`${compiled}.map`))
  return maps.get(compiled)
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined // none beside the file: its trace stays as it is
  }
}
