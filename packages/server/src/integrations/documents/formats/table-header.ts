const NUMBER_LIKE = /^[^\p{L}]{0,4}\p{N}[\p{N}\s.,:/%°+–-]*\p{L}{0,3}\p{Sc}?$/u
const MAX_LABEL_LENGTH = 80

/** Whether a cell contains a number, a price, a date or similar. */
function isNumberLike(cell: string): boolean {
  return NUMBER_LIKE.test(cell.trim())
}

/** Whether the first row has short, distinct labels above numbers. Returns `assumesHeader` for a table without numbers. */
export function hasHeaderRow(rows: readonly (readonly string[])[], assumesHeader: boolean): boolean {
  const [firstRow, ...otherRows] = rows
  if (firstRow === undefined || otherRows.length === 0) return false
  const labels = firstRow.map((cell) => cell.trim())
  const [, ...otherLabels] = labels
  const hasLabels = labels.length > 1 && otherLabels.every((label) => label !== '')
  const hasOnlyLabels = labels.every((label) => label.length <= MAX_LABEL_LENGTH && !isNumberLike(label))
  if (!hasLabels || !hasOnlyLabels || new Set(labels).size < labels.length) return false
  const sample = otherRows.slice(0, 50)
  const hasNumbers = labels.some((_, column) => {
    const cells = sample.map((row) => row[column] ?? '').filter((cell) => cell.trim() !== '')
    return cells.length > 0 && cells.filter(isNumberLike).length * 2 > cells.length
  })
  return hasNumbers || assumesHeader
}
