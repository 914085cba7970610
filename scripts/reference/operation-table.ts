import type { Operation } from '@parley/contract/operation'

const HEAD = `/**
 * Method, path, access, workspace source and query fields of every operation, for clients that do not need schemas. Printed
 * by \`node scripts/print-operation-table.ts > packages/contract/src/operation-table.ts\`.
 */
export const operationTable = {
`

/** Prints the module of the operation table. */
export function printOperationTable(operations: readonly Operation[]): string {
  const rows = operations.map(printRow)
  return `${HEAD}${rows.join('')}} as const\n`
}

function printRow({ name, method, path, access, workspace, query }: Operation): string {
  const names = Object.keys(query?.shape ?? {})
    .map((field) => `'${field}'`)
    .join(', ')
  const row = `  ${name}: ['${method}', '${path}', '${access}', '${workspace}', [${names}]],\n`
  if (row.length <= 121) return row
  const head = [method, path, access, workspace].map((value) => `    '${value}',\n`).join('')
  const singleLine = `    [${names}],\n`
  const multipleLines = `    [\n${Object.keys(query?.shape ?? {})
    .map((field) => `      '${field}',\n`)
    .join('')}    ],\n`
  return `  ${name}: [\n${head}${singleLine.length <= 121 ? singleLine : multipleLines}  ],\n`
}
