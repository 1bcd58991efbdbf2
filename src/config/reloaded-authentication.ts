/**
 * The issuers of the authentication configuration file, exchanged when the file changes. A file that is wrong, or whose
 * providers do not answer within a minute, leaves everything as it was.
 *
 * Source: specification, "Authentication configuration file".
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import type { TokenAuthenticator } from '../authn/authenticate.ts'
import { createOidcAuthenticator, type OidcAuthenticator } from '../authn/oidc/authenticator.ts'
import { JwtMetrics } from '../authn/oidc/metrics.ts'
import type { Log } from '../observe/log.ts'
import type { Outside } from '../outside/outside.ts'
import type { AuthenticationConfigContext } from './authentication-config.ts'
import { followFile } from './follow-file.ts'
import { createReloadMetrics } from './reload-metrics.ts'

interface ReloadedAuthenticationParts extends AuthenticationConfigContext {
  readonly path: string
  readonly outside: Outside
  readonly clock: Clock
  readonly log: Log
  readonly serverIdHash: string
}

interface ReloadedAuthentication {
  readonly tokens: TokenAuthenticator
  metricsText(): string
  start(): void
  close(): void
}

/** Providers of a new file have this long to answer. */
const readyMs = 60_000
/** What the old providers were asked may still be on its way. */
const farewellMs = 60_000

export async function openReloadedAuthentication(
  parts: ReloadedAuthenticationParts,
): Promise<Result<ReloadedAuthentication, string>> {
  const { path, outside, clock, log } = parts
  const text = await outside.readFile(path)
  if (!text.ok) return fail(`--authentication-config ${path} ${text.failure}`)
  const jwtMetrics = new JwtMetrics()
  const first = await build(text.value, parts, jwtMetrics)
  if (!first.ok) return fail(`--authentication-config ${path}: ${first.failure}`)
  let current = first.value
  let closed = false
  const metrics = createReloadMetrics({ subject: 'authentication', ...parts })

  function failed(reason: string): void {
    metrics.record('failure')
    log.error('the authentication configuration was not taken over: the former one goes on to count', {
      path,
      reason,
    })
  }

  async function changed(newText: string): Promise<void> {
    const next = await build(newText, parts, jwtMetrics)
    if (!next.ok) return failed(next.failure)
    next.value.start()
    const ready = await isReady(next.value, clock)
    if (!ready || closed) {
      next.value.close()
      if (!closed) failed(`its providers did not answer within ${readyMs / 1000} s`)
      return
    }
    const former = current
    current = next.value
    clock.after(farewellMs, () => former.close())
    metrics.record('success')
    log.info('the authentication configuration was taken over', { path })
  }

  const file = followFile({ path, text: text.value, outside, clock, changed, unreadable: failed })
  return ok({
    tokens: {
      authenticateToken: (token, audiences) => current.authenticateToken(token, audiences),
    },
    metricsText: () => metrics.text() + jwtMetrics.text(),
    start() {
      current.start()
      file.start()
    },
    close() {
      closed = true
      file.close()
      current.close()
    },
  })
}

/** The engine for expressions comes with the reader: whoever has no such file need not load it. */
async function build(
  text: string,
  parts: ReloadedAuthenticationParts,
  metrics: JwtMetrics,
): Promise<Result<OidcAuthenticator, string>> {
  const { parseAuthenticationConfig } = await import('./authentication-config.ts')
  const settings = parseAuthenticationConfig(text, parts)
  return settings.ok ? createOidcAuthenticator(settings.value, { ...parts, metrics }) : settings
}

function isReady(authenticator: OidcAuthenticator, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(readyMs, () => resolve(false))
    void authenticator.whenReady().then(() => {
      timer.cancel()
      resolve(true)
    })
  })
}
