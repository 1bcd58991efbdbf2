/** A server of its own for stories of garbage collection, in a few words. */

import type { Test } from 'tap'
import { eventually } from '../../../support/eventually.ts'
import {
  type InProcessOptions,
  type InProcessServer,
  startInProcess,
} from '../../../support/in-process-server.ts'

export interface OwnerLine {
  readonly to: string
  readonly blocks?: boolean
  /** Absent = the uid of the owner as it is. */
  readonly uid?: string
  readonly kind?: string
  readonly apiVersion?: string
}

interface Stored {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
    readonly ownerReferences?: readonly {
      readonly name: string
      readonly uid: string
      readonly blockOwnerDeletion?: boolean
    }[]
    readonly managedFields?: readonly { readonly manager: string }[]
  }
}

/** In every namespace, by a controller. */
const madeByTheServer = 'kube-root-ca.crt'

export type Policy = 'Foreground' | 'Background' | 'Orphan'

/** Config maps of one namespace that own each other. */
export class Cluster {
  readonly server: InProcessServer
  readonly #items = '/api/v1/namespaces/default/configmaps'

  private constructor(server: InProcessServer) {
    this.server = server
  }

  static async start(t: Test, options: InProcessOptions = {}): Promise<Cluster> {
    const server = await startInProcess(options)
    t.teardown(() => server.close())
    return new Cluster(server)
  }

  async create(
    name: string,
    owners: readonly (string | OwnerLine)[] = [],
    finalizers: readonly string[] = [],
  ) {
    const ownerReferences = await Promise.all(
      owners.map(async (given) => {
        const {
          to,
          blocks = false,
          uid,
          kind,
          apiVersion,
        } = typeof given === 'string' ? { to: given } : given
        return {
          apiVersion: apiVersion ?? 'v1',
          kind: kind ?? 'ConfigMap',
          name: to,
          uid: uid ?? (await this.get(to))?.metadata.uid ?? 'none',
          ...(blocks ? { blockOwnerDeletion: true } : {}),
        }
      }),
    )
    const body = { metadata: { name, ownerReferences, finalizers } }
    const { status, body: answer } = await this.server.request({ method: 'POST', target: this.#items, body })
    if (status !== 201) throw new Error(answer.toString('utf8'))
  }

  async get(name: string): Promise<Stored | undefined> {
    const { status, body } = await this.server.request({ method: 'GET', target: `${this.#items}/${name}` })
    if (status === 404) return undefined
    const object: Stored = JSON.parse(body.toString('utf8'))
    return object
  }

  async patch(name: string, metadata: object): Promise<void> {
    await this.server.request({
      method: 'PATCH',
      target: `${this.#items}/${name}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata },
    })
  }

  async delete(name: string, propagationPolicy?: Policy): Promise<void> {
    const query = propagationPolicy === undefined ? '' : `?propagationPolicy=${propagationPolicy}`
    const target = `${this.#items}/${name}${query}`
    const { status, body } = await this.server.request({ method: 'DELETE', target })
    if (status >= 300) throw new Error(body.toString('utf8'))
  }

  /** Names that are there, those on their way out with `†`. */
  async names(): Promise<readonly string[]> {
    const { body } = await this.server.request({ method: 'GET', target: this.#items })
    const list: { items: readonly Stored[] } = JSON.parse(body.toString('utf8'))
    const made = list.items.filter(({ metadata }) => metadata.name !== madeByTheServer)
    return made.map(({ metadata }) =>
      metadata.deletionTimestamp === undefined ? metadata.name : `${metadata.name}†`,
    )
  }

  async becomes(wanted: readonly string[]): Promise<void> {
    let seen: readonly string[] = []
    await eventually(
      () => `${wanted.join(' ')}; there are ${seen.join(' ')}`,
      async () => {
        seen = await this.names()
        return JSON.stringify(seen) === JSON.stringify(wanted)
      },
      5000,
    )
  }

  /**
   * Until the collector has seen everything up to now, and done what follows from it: an owned object that is made now
   * and has no owner goes, and those before it were looked at first.
   */
  async settled(): Promise<void> {
    await this.create('zz-marker', [{ to: 'never-there' }])
    await eventually('the marker to go', async () => (await this.get('zz-marker')) === undefined)
    await this.create('zz-marker', [{ to: 'never-there' }])
    await eventually('the marker to go again', async () => (await this.get('zz-marker')) === undefined)
  }
}
