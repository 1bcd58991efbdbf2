/** Keys of a user's extra values, as they stand behind the prefix of a header's name. */

/** Percent-encoding that cannot be decoded stands for itself. */
export function decodeExtraKey(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
