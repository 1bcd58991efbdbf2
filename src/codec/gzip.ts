/** Compression of answers, at the fastest level: the processor is dearer than the wire. */

import { constants, createGzip, gzip } from 'node:zlib'
import type { SharedChunk } from '../pipeline/exchange.ts'

/** Where pieces go; `write` resolves when more may follow: false = nobody reads any more. */
export interface Sink {
  write(piece: SharedChunk | Buffer): boolean | Promise<boolean>
  end(): void
}

const level = constants.Z_BEST_SPEED

/** Compresses the whole, on a thread of Node's pool. */
export function gzipBuffer(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level }, (error, compressed) => (error === null ? resolve(compressed) : reject(error)))
  })
}

/** Compresses pieces on their way; holds about one piece at a time. Resolves with the compressed size. */
export async function gzipPieces(pieces: Iterable<Buffer>, sink: Sink): Promise<number> {
  let bytes = 0
  const compressor = createGzip({ level })
  const fed = feed(compressor, pieces)
  try {
    for await (const compressed of compressor) {
      bytes += compressed.length
      if (!(await sink.write(compressed))) return bytes
    }
    sink.end()
    return bytes
  } finally {
    compressor.destroy()
    await fed
  }
}

/** Writes until everything is in or the compressor was destroyed, never ahead of what it can take. */
async function feed(compressor: ReturnType<typeof createGzip>, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (compressor.destroyed) return
    if (!compressor.write(piece)) {
      await new Promise<void>((resolve) => {
        compressor.once('drain', resolve)
        compressor.once('close', resolve)
      })
    }
  }
  if (!compressor.destroyed) compressor.end()
}
