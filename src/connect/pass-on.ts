import type { ResponseStream } from '../pipeline/exchange.ts'

/** Sends what comes at the pace of whoever reads, and ends the stream with it. Never rejects. */
export async function passOn(body: AsyncIterable<Buffer>, stream: ResponseStream): Promise<void> {
  let go: (() => void) | undefined
  stream.onDrain(() => go?.())
  for await (const chunk of body) {
    if (stream.write(chunk, true)) continue
    await new Promise<void>((resolve) => {
      go = resolve
    })
  }
  stream.end()
}
