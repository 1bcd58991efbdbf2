/** Tells its parent which modules an import of the package, and a start in the directory given, have loaded. */

import { Session } from 'node:inspector'

const urls: string[] = []
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
session.post('Debugger.enable')
urls.length = 0 // what was there before
// By the package's own name, as its users do.
const { startControlPlane } = await import('cluster-apiserver')
const imported = urls.length
const plane = await startControlPlane({ dataDir: process.argv[2] ?? '' })
const loaded = { byImport: urls.slice(0, imported), byStart: urls.slice(imported) }
await plane.stop()
process.send?.(loaded, () => process.exit(0))
