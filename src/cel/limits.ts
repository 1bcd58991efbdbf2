/** Budgets of expressions, in units of cost. Specification: "Limits", expression cost. */

/** Most cost units of one evaluation, about a tenth of a second. */
export const perCallCostMax = 1_000_000

/** Most cost units of all expressions of one policy binding or custom resource together. */
export const perObjectCostMax = 10_000_000

/** Most cost units of all match conditions that one request meets at one webhook. */
export const matchConditionsCostMax = 2_500_000

/** Most cost units of the worst case of one validation rule, for it to be stored. */
export const ruleWorstCostMax = 10_000_000

/** Most cost units of the worst cases of all validation rules of one custom resource together. */
export const rulesWorstCostMax = 100_000_000
