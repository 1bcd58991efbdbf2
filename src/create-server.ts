/** Builds the server out of its options, once they are known to make sense together. */

import { fail, ok, type Result } from '../store/contract.ts'
import { selectPlugins } from './admission/selection.ts'
import { assemble } from './config/assemble.ts'
import { selectControllers } from './controllers/selection.ts'
import type { ApiServer, ServerOptions } from './server.ts'
import { checkFeatureGates } from './types/feature-gates.ts'
import { createTypeRegistry } from './types/registry.ts'

/** Fails when the options contradict each other or name what there is not. */
export function createApiServer(options: ServerOptions): Result<ApiServer, { readonly message: string }> {
  if (options.authorizationModes?.includes('Webhook') === true && options.external?.authorizers === undefined)
    return fail({ message: 'the authorization mode Webhook needs a configuration of the webhook' })
  const gates = checkFeatureGates(options.featureGates)
  if (!gates.ok) return fail({ message: gates.failure })
  const types = createTypeRegistry(options)
  if (!types.ok) return types
  const plugins = selectPlugins(options.admissionPlugins ?? {})
  if (!plugins.ok) return fail({ message: plugins.failure })
  const controllers = selectControllers(options.selectedControllers ?? ['*'])
  if (!controllers.ok) return fail({ message: controllers.failure })
  return ok(assemble(options, types.value, plugins.value, controllers.value))
}
