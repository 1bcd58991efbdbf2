/** Turns a checked tree into closures, one for each node. */

import type { Checked } from '../check/checker.ts'
import type { Expr } from '../syntax/ast.ts'
import { planCall } from './calls.ts'
import { planComprehension, planOptionalMap } from './comprehensions.ts'
import type { Plan, Step } from './frame.ts'
import { planList, planMap, planStruct } from './literals.ts'
import { planLogical } from './logical.ts'
import { planName, planSelect } from './selections.ts'

/** The whole expression as one function; the tree must have been checked without findings. */
export function plan(root: Expr, checked: Checked): Step {
  const planOne: Plan = (expr) => {
    switch (expr.kind) {
      case 'literal': {
        const { value } = expr
        return () => value
      }
      case 'ident':
        return planName(expr, checked)
      case 'select':
        return checked.names.has(expr) ? planName(expr, checked) : planSelect(expr, checked, planOne)
      case 'call':
        return planCall(expr, checked, planOne)
      case 'logical':
        return planLogical(expr, planOne)
      case 'list':
        return planList(expr, planOne)
      case 'map':
        return planMap(expr, planOne)
      case 'struct':
        return planStruct(expr, checked, planOne)
      case 'comprehension':
        return planComprehension(expr, checked, planOne)
      case 'optMap':
        return planOptionalMap(expr, checked, planOne)
    }
  }
  return planOne(root)
}
