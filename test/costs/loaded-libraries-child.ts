/** Tells its parent which modules a control plane in this process, in the directory given, has loaded. */

import { Session } from 'node:inspector'

const urls: string[] = []
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
session.post('Debugger.enable')
urls.length = 0 // what was there before
const { startControlPlane } = await import('../../workers/embed.ts')
const plane = await startControlPlane({ dataDir: process.argv[2] ?? '' })
const loaded = [...urls]
await plane.stop()
process.send?.(loaded, () => process.exit(0))
