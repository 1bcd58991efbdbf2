/** Rows in columns that are as wide as what stands in them, for people and for those who read up to a comma. */

/** Of each column, the separator included. */
const widthMin = 8

/** Cells of a row end with a comma, the last one apart. All rows have the same number of cells. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell, at) => (at < row.length - 1 ? `${cell},` : cell)))
  const widths: number[] = []
  for (const row of cells)
    for (const [at, cell] of row.entries())
      widths[at] = Math.max(widths[at] ?? widthMin, [...cell].length + 1)
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at < row.length - 1 ? padded(cell, widths[at] ?? 0) : cell)).join('')
  return cells.map((row) => `${line(row)}\n`).join('')
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(width - [...cell].length)
}
