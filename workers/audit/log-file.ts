/**
 * The log of one process. All processes write into the same file, each with whole lines at its end (`O_APPEND`): a line
 * is with the kernel when its request goes on, and nobody has to hand it to anybody. Who is to put the file aside when it
 * is full is another matter: one process, the supervisor (`rotation.ts`), which is asked here.
 */

import type { LineOut } from '../../src/audit/log-sink.ts'
import type { AppendedFile, LogFiles } from './files.ts'

interface LogFileParts {
  readonly files: LogFiles
  readonly path: string
  readonly bytesMax: number
  /** The file is full. @param inode which one: it may have been put aside already */
  readonly askRotation: (inode: number) => void
}

export interface LogFile extends LineOut {
  /** The file has been put aside: from now on lines go into the one that has its name now. */
  reopen(): void
}

/** Others write too: how large the file is, is looked at again after this many bytes of our own. */
const lookBytes = 64 * 1024

/** Opens nothing before the first line. */
export function createLogFile({ files, path, bytesMax, askRotation }: LogFileParts): LogFile {
  let file: AppendedFile | undefined
  let ownBytes = 0
  let askedFor: number | undefined

  function opened(): AppendedFile {
    if (file !== undefined) return file
    file = files.openToAppend(path)
    look(file)
    return file
  }

  function look(at: AppendedFile): void {
    ownBytes = 0
    const { inode, bytes } = at.state()
    if (bytes < bytesMax || inode === askedFor) return
    askedFor = inode
    askRotation(inode)
  }

  function close(): void {
    file?.close()
    file = undefined
  }

  return {
    write(lines) {
      try {
        const target = opened()
        target.append(lines)
        ownBytes += lines.length
        if (ownBytes >= Math.min(lookBytes, bytesMax)) look(target)
        return undefined
      } catch (error) {
        // The next line tries it with a file of its own.
        close()
        return error instanceof Error ? error.message : String(error)
      }
    },
    reopen: close,
    close,
  }
}
