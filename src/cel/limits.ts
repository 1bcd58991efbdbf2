/** Budgets of expressions, in units of cost. Specification: "Limits", expression cost. */

/** Most cost units of one evaluation, about a tenth of a second. */
export const perCallCostMax = 1_000_000

/** Most cost units of all match conditions that one request meets at one webhook. */
export const matchConditionsCostMax = 2_500_000

/** Most cost units of all rules of one policy for one request and parameter. */
export const policyCostMax = 10_000_000

/** Most cost units of all rules of a custom resource's schema for one write. */
export const customResourceCostMax = 10_000_000
