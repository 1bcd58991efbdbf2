import { FrameReader } from '../../../store/link/frame-reader.ts'
import { WireWriter } from '../../../store/link/wire.ts'
import { type Frame, readFrame, writeFrame } from '../../../store/peers/frames.ts'

/** What the frame is at the other end, behind the encoding of the wire. */
export function packed(frame: Frame): () => Frame {
  const writer = new WireWriter(1 << 10)
  const start = writer.beginFrame()
  writeFrame(writer, frame)
  writer.endFrame(start)
  const bytes = writer.finish()
  return () => {
    let arrived: Frame | undefined
    new FrameReader().push(Buffer.from(bytes), (body) => {
      arrived = readFrame(body)
    })
    if (arrived === undefined) throw new Error(`a ${frame.kind} cannot be read back`)
    return arrived
  }
}
