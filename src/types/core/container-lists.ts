/** Where containers stand in a pod, in the order in which they run: first, beside each other, and later to debug. */
export const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const
