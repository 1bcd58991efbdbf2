/** What `work` gives, when both have ended; then, too, the failure of either. */
export async function together<T>(work: Promise<T>, beside: Promise<unknown>): Promise<T> {
  await Promise.allSettled([work, beside])
  await beside
  return work
}
